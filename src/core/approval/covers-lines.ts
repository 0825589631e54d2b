import { changeText } from './call-changes.ts'
import type { CoveredCalls, Covers, OpenCalls, ShownCall } from './covers.ts'

/** Characters of the arguments of one call in a line; `show --output json` has them all. */
const mostCharacters = 400

/** What a yes covers, as lines of text for the one who is asked. `mostShown`: calls of each step that are written out. */
export function coversLines(covers: Covers, mostShown = 5): readonly string[] {
  const { calls, open, any, again } = covers
  const total = calls.reduce((sum, { count }) => sum + count, 0)
  return [
    ...againLines(again),
    ...(calls.length === 0 ? [] : [`A yes permits ${callsText(total)} (seal ${covers.seal.slice(0, 12)}):`]),
    ...calls.flatMap((one) => stepLines(one, mostShown)),
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

function stepLines({ step, action, safety, connection, count, shown }: CoveredCalls, most: number): string[] {
  const over = connection === undefined ? '' : ` over ${connection}`
  const listed = shown.slice(0, most)
  // Of many or large calls the record keeps only the first; a batch counts more calls than are listed.
  const left = Math.max(count, shown.length) - listed.length
  return [
    `  ${step}  ${action}  ${safety}${over}  ${callsText(count)}`,
    ...listed.map((call) => `    ${callText(call, step)}`),
    ...(left === 0 ? [] : [`    and ${left} more, not shown here`]),
  ]
}

function callText({ path, input, save_as }: ShownCall, step: string): string {
  const text = input === undefined ? 'too large to be shown' : JSON.stringify(input)
  const cut = text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text
  const file = save_as === undefined ? '' : ` → ${save_as}`
  return `${path === step ? '' : `${path}: `}${cut}${file}`
}

function openLines(open: readonly OpenCalls[], isAny: boolean): readonly string[] {
  if (open.length === 0) return []
  const title = isAny ? 'Goes out without another yes (covers: any):' : 'Not covered, asked for separately:'
  return [
    title,
    ...open.map(({ step, action, safety, needs }) => {
      const why = needs.length === 0 ? 'covers does not name it' : `not known before ${needs.join(', ')}`
      return `  ${step}  ${action}  ${safety}  ${why}`
    }),
  ]
}

function callsText(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`
}
