import type { Safety } from '../action.ts'
import { changeText } from './call-changes.ts'
import type { CallsOfStep, CoveredCalls, Covers, OpenCalls, ShownCall } from './covers.ts'

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
  const { again, permits, others } = coversTexts(covers)
  return [
    ...again,
    ...(permits === undefined ? [] : [permits]),
    ...covers.calls.flatMap((one) => stepLines(one, most)),
    ...(others === undefined ? [] : [others]),
    ...covers.open.map((calls) => `  ${[calls.step, ...effectTexts(calls), openText(calls)].join('  ')}`),
  ]
}

/** The sentences around the calls of a question, for the one who is asked. */
export interface CoversTexts {
  /** Why the run asks again. */
  readonly again: readonly string[]
  /** Undefined: a yes permits no call that is known. */
  readonly permits: string | undefined
  /** What becomes of calls that a yes does not cover. Undefined: there are none. */
  readonly others: string | undefined
}

/** Writes the sentences around the calls of a question. */
export function coversTexts({ calls, open, any, again }: Covers): CoversTexts {
  const total = calls.reduce((sum, { count }) => sum + count, 0)
  return {
    again: againLines(again),
    permits: calls.length === 0 ? undefined : `A yes permits ${callsText(total)}:`,
    others:
      open.length === 0
        ? undefined
        : any
          ? 'Goes out without another yes (covers: any):'
          : 'Not covered, asked for separately:',
  }
}

function againLines(again: Covers['again']): readonly string[] {
  if (!again) return []
  if (again.changes.length === 0) return [`The yes to ${again.question} does not cover these calls:`]
  return [
    `Nothing was sent: these are not the calls that were approved at ${again.question} (ApprovalStale).`,
    ...again.changes.map((change) => `  ${changeText(change)}`),
  ]
}

const effects: Readonly<Record<Safety, string>> = {
  create: 'creates',
  idempotent: 'can be repeated',
  read: 'only reads',
}

/** What the calls of a step do, such as `core/http over crm` and `can be repeated`. */
export function effectTexts({ action, connection, safety }: CallsOfStep): readonly [string, string] {
  return [connection === undefined ? action : `${action} over ${connection}`, effects[safety]]
}

function stepLines(calls: CoveredCalls, most: typeof whole): string[] {
  const { step, count, shown } = calls
  const listed = shown.slice(0, most.calls)
  // A batch counts more calls than are listed.
  const left = shown.length - listed.length
  return [
    `  ${[step, ...effectTexts(calls), callsText(count)].join('  ')}`,
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

/** Why a yes does not cover the calls of a step. */
export function openText({ needs, is_too_large }: OpenCalls): string {
  if (is_too_large) return 'more than a question shows whole'
  return needs.length === 0 ? 'covers does not name it' : `not known before ${needs.join(', ')}`
}

/** Such as `2 calls`. */
export function callsText(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`
}
