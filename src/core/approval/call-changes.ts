import { isJsonObject, isSameJson, type JsonValue } from '../json.ts'
import type { CallChange, CoveredCalls, ShownCall } from './covers.ts'

/** A person reads no more. */
const mostChanges = 20

/** What of the calls differs from those that were approved, field by field. Equal calls have no changes. */
export function callChanges(
  approved: readonly CoveredCalls[],
  present: readonly CoveredCalls[],
): readonly CallChange[] {
  const before = new Map(approved.map((calls) => [calls.step, calls]))
  const after = new Map(present.map((calls) => [calls.step, calls]))
  const steps = [...new Set([...before.keys(), ...after.keys()])]
  return steps.flatMap((step) => changesOfStep(step, before.get(step), after.get(step))).slice(0, mostChanges)
}

function changesOfStep(
  step: string,
  before: CoveredCalls | undefined,
  after: CoveredCalls | undefined,
): readonly CallChange[] {
  if (before?.hash === after?.hash) return []
  const was = byPath(before)
  const is = byPath(after)
  const paths = [...new Set([...was.keys(), ...is.keys()])]
  // Of many or large calls only the first are kept as they were shown.
  const isPartial = before !== undefined && before.shown.length < before.count
  const changes = paths.flatMap((path) =>
    isPartial && !was.has(path) ? [] : changesOfCall(path, was.get(path), is.get(path)),
  )
  // What differs is masked, or more than the record shows.
  return changes.length === 0 ? [{ path: step, field: '' }] : changes
}

function byPath(calls: CoveredCalls | undefined): ReadonlyMap<string, ShownCall> {
  return new Map((calls?.shown ?? []).map((call) => [call.path, call]))
}

function changesOfCall(
  path: string,
  was: ShownCall | undefined,
  is: ShownCall | undefined,
): readonly CallChange[] {
  if (!was || !is)
    return [{ path, field: '', ...(was ? side('was', was.input) : {}), ...(is ? side('is', is.input) : {}) }]
  return [...differences(was.input, is.input, ''), ...differences(was.save_as, is.save_as, 'save-as')].map(
    (change) => ({ path, ...change }),
  )
}

type Difference = Omit<CallChange, 'path'>

function differences(
  was: JsonValue | undefined,
  is: JsonValue | undefined,
  field: string,
): readonly Difference[] {
  if (was !== undefined && is !== undefined) {
    if (isSameJson(was, is)) return []
    if (isJsonObject(was) && isJsonObject(is))
      return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((key) =>
        differences(own(was, key), own(is, key), field === '' ? key : `${field}.${key}`),
      )
    if (Array.isArray(was) && Array.isArray(is))
      return Array.from({ length: Math.max(was.length, is.length) }, (_, at) => at).flatMap((at) =>
        differences(was[at], is[at], `${field}[${at}]`),
      )
  } else if (was === is) return []
  return [{ field, ...side('was', was), ...side('is', is) }]
}

function own(holder: Readonly<Record<string, JsonValue>>, key: string): JsonValue | undefined {
  return Object.hasOwn(holder, key) ? holder[key] : undefined
}

/** Of a large value, the record of a question and the log of the run keep the beginning. */
const mostSideLength = 500

function side(name: 'was' | 'is', value: JsonValue | undefined): Partial<Difference> {
  if (value === undefined) return {}
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { [name]: text.length <= mostSideLength ? value : `${text.slice(0, mostSideLength)}…` }
}

/** One line for each change, such as `drain[3]: url was "a", is "b"`. */
export function changeText({ path, field, was, is }: CallChange): string {
  const what = field === '' ? path : `${path}: ${field}`
  if (was === undefined && is === undefined) return `${what} differs in what is not shown`
  if (was === undefined) return `${what} is new: ${JSON.stringify(is)}`
  if (is === undefined) return `${what} is gone: ${JSON.stringify(was)}`
  return `${what} was ${JSON.stringify(was)}, is ${JSON.stringify(is)}`
}

/** What the log of the run says of changes. */
export function staleMessage(changes: readonly CallChange[]): string {
  return `ApprovalStale: ${changes.map(changeText).join('; ')}`
}
