import { changeText } from './call-changes.ts'
import type { CoveredCalls, Covers, OpenCalls, ShownCall } from './covers.ts'

/** Where what a yes covers is only announced: calls of each step, and characters of each call. */
const briefly = { calls: 3, characters: 400 }
const whole = { calls: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY }

/** What a yes covers, as lines of text for the one who is asked: whole, since a yes covers what its giver has seen. */
export function coversLines(covers: Covers): readonly string[] {
  return linesOf(covers, whole)
}

/** The beginning of the same, for lists and notifications that lead to the whole. */
export function briefCoversLines(covers: Covers): readonly string[] {
  return linesOf(covers, briefly)
}

function linesOf(covers: Covers, most: typeof whole): readonly string[] {
  const { calls, open, any, again } = covers
  const total = calls.reduce((sum, { count }) => sum + count, 0)
  return [
    ...againLines(again),
    ...(calls.length === 0 ? [] : [`A yes permits ${callsText(total)} (seal ${covers.seal.slice(0, 12)}):`]),
    ...calls.flatMap((one) => stepLines(one, most)),
    ...openLines(open, any === true),
  ]
}

function againLines(again: Covers['again']): readonly string[] {
  if (!again) return []
  if (again.changes.length === 0) return [`The yes to ${again.question} does not cover these calls:`]
  return [
    `Nothing was sent: these are not the calls that were approved at ${again.question} (ApprovalStale).`,
    ...again.changes.map((change) => `  ${changeText(change)}`),
  ]
}

function stepLines(
  { step, action, safety, connection, count, shown }: CoveredCalls,
  most: typeof whole,
): string[] {
  const over = connection === undefined ? '' : ` over ${connection}`
  const listed = shown.slice(0, most.calls)
  // A batch counts more calls than are listed.
  const left = shown.length - listed.length
  return [
    `  ${step}  ${action}  ${safety}${over}  ${callsText(count)}`,
    ...listed.map((call) => `    ${callText(call, step, most.characters)}`),
    ...(left === 0 ? [] : [`    and ${left} more`]),
  ]
}

function callText({ path, input, save_as }: ShownCall, step: string, most: number): string {
  const text = JSON.stringify(input ?? {})
  const cut = text.length > most ? `${text.slice(0, most)}… (${text.length - most} characters more)` : text
  const file = save_as === undefined ? '' : ` → ${save_as}`
  return `${path === step ? '' : `${path}: `}${cut}${file}`
}

function openLines(open: readonly OpenCalls[], isAny: boolean): readonly string[] {
  if (open.length === 0) return []
  const title = isAny ? 'Goes out without another yes (covers: any):' : 'Not covered, asked for separately:'
  return [
    title,
    ...open.map(({ step, action, safety, needs, is_too_large }) => {
      const why = is_too_large
        ? 'more than a question shows whole'
        : needs.length === 0
          ? 'covers does not name it'
          : `not known before ${needs.join(', ')}`
      return `  ${step}  ${action}  ${safety}  ${why}`
    }),
  ]
}

function callsText(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`
}
