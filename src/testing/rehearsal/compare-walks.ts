import { counted, grouped } from '../../core/group.ts'
import { canonicalText, type JsonValue, valueAt } from '../../core/json.ts'
import { isSameQuestion, type Question } from '../../core/people/index.ts'
import { stepPathOf, withoutPositions } from '../../core/plan/index.ts'
import { firstDifference, shown } from '../play/match.ts'
import { whatIsCalled } from './recorded-world.ts'
import type { OpenPoint, RehearsalWalk, WalkedCall } from './walk-run.ts'

/** In what two ways of a run differ. */
export type DifferenceKind = 'refused' | 'end' | 'write' | 'question' | 'path'

/** One difference between a recorded run and its rehearsal. */
export interface RunDifference {
  readonly kind: DifferenceKind
  /** The path of the step, without positions. Left out: it is about the run. */
  readonly step?: string
  /** What would happen, in words that are the same for like runs: `would skip disable`. */
  readonly what: string
  /** The values of this run: `rule_id is "r-9", was "r-4"`. */
  readonly detail?: string
}

/** Something that the journal does not hold. What follows from it cannot be known. */
export interface Unknown {
  /** The path of the step. */
  readonly step: string
  /** In words that are the same for like runs. */
  readonly what: string
  readonly detail?: string
}

/** Masks what must not be shown, before anything is cut out of a value. */
export type MaskShown = <T extends JsonValue>(value: T) => T

/** Compares the way of a new plan with that of the recorded one, as far as it is known. */
export function compareWalks(
  before: RehearsalWalk,
  after: RehearsalWalk,
  mask: MaskShown,
): readonly RunDifference[] {
  return [
    ...ends(before, after, mask),
    ...writes(before, after, mask),
    ...questions(before, after, mask),
    ...paths(before, after),
  ]
}

function ends(
  { end: before }: RehearsalWalk,
  { end: after }: RehearsalWalk,
  mask: MaskShown,
): readonly RunDifference[] {
  if (!before || !after) return []
  const [was, is] = [endText(before), endText(after)]
  if (was !== is) {
    const message = after.error?.message
    return [
      { kind: 'end', what: `would end as ${is} (was ${was})`, ...(message ? { detail: mask(message) } : {}) },
    ]
  }
  const detail = changeText(before.outputs ?? {}, after.outputs ?? {}, mask)
  return detail === undefined ? [] : [{ kind: 'end', what: 'would have other outputs', detail }]
}

function endText({ status, error }: NonNullable<RehearsalWalk['end']>): string {
  if (!error || status === 'cancelled') return status
  return `${status} with ${error.code}${error.path === undefined ? '' : ` at ${withoutPositions(error.path)}`}`
}

function writes(before: RehearsalWalk, after: RehearsalWalk, mask: MaskShown): readonly RunDifference[] {
  const made = distinctWrites(before)
  const left = [...made]
  const more: WalkedCall[] = []
  for (const call of distinctWrites(after)) {
    const at = left.findIndex((one) => whatIsCalled(one.request) === whatIsCalled(call.request))
    if (at < 0) more.push(call)
    else left.splice(at, 1)
  }
  const found = more.map((call): RunDifference => {
    const step = stepPathOf(call.request.path)
    const same = left.findIndex(
      ({ request }) => stepPathOf(request.path) === step && request.action === call.request.action,
    )
    if (same < 0)
      return { kind: 'write', step, what: `would also call ${step}`, detail: shown(mask(call.shown)) }
    const [was] = left.splice(same, 1) as [WalkedCall]
    const detail = changeText(was.shown, call.shown, mask) ?? otherwise(was, call)
    return { kind: 'write', step, what: `would call ${step} with other arguments`, detail }
  })
  // What is not known yet can still come.
  if (!after.end) return found
  return [
    ...found,
    ...left.map(({ request, shown: input }): RunDifference => {
      const step = stepPathOf(request.path)
      return { kind: 'write', step, what: `would not call ${step}`, detail: shown(mask(input)) }
    }),
  ]
}

/** Repeated attempts of a write are one write. */
function distinctWrites({ calls }: RehearsalWalk): readonly WalkedCall[] {
  const seen = new Set<string>()
  return calls.filter(({ request: { path }, isWrite }) => {
    if (!isWrite || seen.has(path)) return false
    seen.add(path)
    return true
  })
}

/** The arguments look the same. */
function otherwise({ request: was }: WalkedCall, { request: is }: WalkedCall): string {
  if (was.connection !== is.connection)
    return `the connection is ${is.connection ?? 'the default one'}, was ${was.connection ?? 'the default one'}`
  if (was.saveAs !== is.saveAs) return `the file is ${is.saveAs ?? 'none'}, was ${was.saveAs ?? 'none'}`
  return 'a masked argument or a secret is another one'
}

function questions(before: RehearsalWalk, after: RehearsalWalk, mask: MaskShown): readonly RunDifference[] {
  const found = after.questions.flatMap((question): readonly RunDifference[] => {
    if (before.questions.some((one) => isSameQuestion(one, question))) return []
    const step = withoutPositions(question.path)
    const was = before.questions.find(({ path }) => path === question.path)
    if (!was)
      return [
        { kind: 'question', step, what: `would also ask ${step}`, detail: shown(mask(question.message)) },
      ]
    return [{ kind: 'question', step, ...otherQuestion(step, was, question, mask) }]
  })
  if (!after.end) return found
  const dropped = before.questions.filter(
    (one) => !after.questions.some((question) => isSameQuestion(one, question) || question.path === one.path),
  )
  return [
    ...found,
    ...dropped.map(({ path, message }): RunDifference => {
      const step = withoutPositions(path)
      return { kind: 'question', step, what: `would not ask ${step}`, detail: shown(mask(message)) }
    }),
  ]
}

function otherQuestion(
  step: string,
  was: Question,
  is: Question,
  mask: MaskShown,
): Pick<RunDifference, 'what' | 'detail'> {
  if (was.message !== is.message) {
    return {
      what: `would ask something else at ${step}`,
      detail: `${shown(mask(is.message))}, was ${shown(mask(was.message))}`,
    }
  }
  const detail = changeText(coveredCalls(was), coveredCalls(is), mask)
  if (detail !== undefined) return { what: `would ask at ${step} for other calls`, detail }
  return { what: `would ask at ${step} in another way`, detail: 'its fields, its choices or who may answer' }
}

/** The calls that a yes permits, by their paths. */
function coveredCalls({ covers }: Question): JsonValue {
  return Object.fromEntries(
    (covers?.calls ?? []).flatMap(({ step, count, shown: calls }) => [
      [step, count],
      ...calls.map(({ path, input }) => [path === step ? `${step} with` : path, input ?? null] as const),
    ]),
  )
}

const itemsOf = 'items of '

function paths(before: RehearsalWalk, after: RehearsalWalk): readonly RunDifference[] {
  const [was, is] = [stepEnds(before), stepEnds(after)]
  const names = new Set([...is.keys(), ...was.keys()])
  return [...names].flatMap((name): readonly RunDifference[] => {
    const [one, other] = [was.get(name), is.get(name)]
    const step = name.replace(itemsOf, '')
    // Items of a loop can still follow.
    if (one === other || (!after.end && (other === undefined || isOpenInside(after.open, step)))) return []
    return [{ kind: 'path', step, what: pathText(name, one, other) }]
  })
}

function pathText(name: string, was: string | undefined, is: string | undefined): string {
  if (is === undefined) return `would not reach ${name}`
  if (is === 'skipped') return `would skip ${name}`
  if (was === undefined) return `would also run ${name}`
  if (was === 'skipped') return `would run ${name} (was skipped)`
  return `would see ${name} end as ${is} (was ${was})`
}

/** How the steps ended, those in a loop together. The items of a loop are not the loop itself. */
function stepEnds({ ends: all }: RehearsalWalk): ReadonlyMap<string, string> {
  const ends = [...all].map(
    ([path, { status }]) =>
      [`${path.endsWith(']') ? itemsOf : ''}${withoutPositions(path)}`, status] as const,
  )
  return new Map([...grouped(ends)].map(([step, own]) => [step, countsText(counted(own))] as const))
}

function countsText(counts: ReadonlyMap<string, number>): string {
  const [[only, count] = ['', 0], ...more] = counts
  if (more.length === 0 && count === 1) return only
  const sorted = [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return sorted.map(([status, times]) => `${times} ${status}`).join(', ')
}

function isOpenInside(open: readonly OpenPoint[], step: string): boolean {
  return open.some((point) => {
    const path =
      point.kind === 'call' ? stepPathOf(point.request.path) : withoutPositions(point.question.path)
    return path === step || path.startsWith(`${step}/`) || step.startsWith(`${path}/`)
  })
}

/** What the journal does not hold, each with the recorded call that is most like it. */
export function unknownsOf(
  before: RehearsalWalk,
  { open, end }: RehearsalWalk,
  mask: MaskShown,
): readonly Unknown[] {
  if (end) return []
  if (open.length === 0)
    return [{ step: '', what: 'the run would wait for something that the journal does not hold' }]
  return open.map((point) => {
    if (point.kind === 'question') {
      const step = withoutPositions(point.question.path)
      return { step, what: `the journal holds no such question of ${step}` }
    }
    const { request, shown: input, isWrite } = point
    const step = stepPathOf(request.path)
    // The write itself is a difference, with its arguments.
    if (isWrite) return { step, what: `the answer of ${step} is not known` }
    const near =
      before.calls.find(({ request: one }) => one.path === request.path && one.action === request.action) ??
      before.calls.find(({ request: one }) => stepPathOf(one.path) === step && one.action === request.action)
    const detail = near ? changeText(near.shown, input, mask) : shown(mask(input))
    return {
      step,
      what: `the journal holds no such call of ${step}`,
      ...(detail === undefined ? {} : { detail }),
    }
  })
}

/** `rule_id is "r-9", was "r-4"`. Undefined: they are the same. */
function changeText(was: JsonValue, is: JsonValue, mask: MaskShown): string | undefined {
  if (canonicalText(was) === canonicalText(is)) return undefined
  const [before, after] = [mask(was), mask(is)]
  const found = firstDifference(after, before) ?? firstDifference(before, after)
  if (!found) return 'a masked value is another one'
  const [one, other] = [valueAt(after, found.path), valueAt(before, found.path)]
  return `${placeText(found.path)} is ${shown(one)}, was ${shown(other)}`
}

function placeText(path: readonly (string | number)[]): string {
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')
  return text.replace(/^\./, '') || 'the value'
}
