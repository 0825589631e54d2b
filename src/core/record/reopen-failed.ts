import { grouped } from '../group.ts'
import type { BlockStepPlan, Plan, StepPlan } from '../plan/plan.ts'
import { caughtSteps } from '../plan/plan-walk.ts'
import { catchPath, endPath, stepAddressOfCall } from '../plan/step-address.ts'
import { type ErrorData, leavesOutcomeUnknown } from '../run-error.ts'
import { createPlanIndex, type PlanIndex } from './plan-index.ts'

/** An attempt that counts. */
export interface ReopenedAttempt {
  readonly path: string
  readonly attempt: number
  readonly action: string
  /** `begun`: its outcome is unknown. */
  readonly status: 'begun' | 'succeeded' | 'failed'
  readonly error?: ErrorData
}

/** What a run has left behind, wherever it is kept, as far as the run is tried again with it. */
export interface ReopenedRecord<Attempt extends ReopenedAttempt = ReopenedAttempt> {
  /** The steps that failed, or were cancelled; without those that let it pass. */
  failedSteps(): readonly string[]
  /** The items of loops that did not end well. */
  failedItems(): readonly string[]
  /** The attempts at a place and inside it that count. */
  attempts(path: string): readonly Attempt[]
  /** It counts no longer, and is kept for the record only. */
  takeBack(attempt: Attempt): void
  /** The user keeps what it has done, whatever the next ending asks for. */
  keep(attempt: Attempt): void
  /**
   * Forgets when the run first reached a step and the steps inside it, their questions and their results, but for the
   * results that stay.
   */
  forgetInside(path: string, stays: IsKept): void
  /** Forgets when the run first reached a step, and its question. */
  forgetPlace(path: string): void
  /** From now on the time of what is tried again counts, and not from before. */
  giveTime(path: string): void
  /** It has no result yet. */
  reset(path: string): void
}

/** Whether the user keeps the results of a step or an item. */
export type IsKept = (path: string) => boolean

/**
 * Reopens what made a run fail: the attempts of the failed steps no longer count.
 *
 * A step without creates starts again as a whole. Of a `create` only the last attempts that were certainly not executed
 * are withdrawn. Consequences of the failure, `catch` and `finally`, run again at the next ending, but for what the user
 * keeps of them. The run, and each reopened step, has its whole timeout again.
 */
export function reopenFailed<Attempt extends ReopenedAttempt>(
  plan: Plan,
  record: ReopenedRecord<Attempt>,
  isKept: IsKept,
): void {
  const index = createPlanIndex(plan)
  const remove: Remove = (path, how) => removeInside(path, index, record, isKept, how)
  const items = new Set(record.failedItems())
  const byLoop = grouped([...items].map((item) => [loopOf(item), item]))
  for (const path of guiltySteps(record.failedSteps(), items)) {
    const owner = index.ownerOf(path)
    if (owner?.path !== path) continue
    const { step } = owner
    const failed = byLoop.get(path) ?? []
    const starts = step.forEach ? failed : [path]
    // What it has made is there: only clean-up begins wholly anew.
    for (const id of idsOf(caughtSteps(step))) remove(`${catchPath(step, path)}/${id}`, 'keeps-creates')
    const hasLimit = step.timeoutMs !== undefined || index.childOf(step)?.timeoutMs !== undefined
    for (const start of starts) {
      reopenStart(start, step, index, record, remove)
      if (hasLimit) record.giveTime(start)
    }
    // No item has begun: a question before the first one is asked again.
    if (step.forEach && failed.length === 0) record.forgetPlace(path)
    if (step.kind === 'block') reopenTurns(path, step, failed, index, record, remove)
    record.reset(path)
  }
  if (plan.timeoutMs !== undefined) record.giveTime('')
  for (const id of idsOf(plan.finally)) remove(id)
  record.forgetPlace(endPath(''))
}

function reopenStart<Attempt extends ReopenedAttempt>(
  start: string,
  step: StepPlan,
  index: PlanIndex,
  record: ReopenedRecord<Attempt>,
  remove: Remove,
): void {
  const child = index.childOf(step)
  const cleanUp = step.kind === 'block' ? idsOf(step.finally) : []
  for (const id of [...cleanUp, ...idsOf(child?.finally)]) remove(`${start}/${id}`)
  record.reset(start)
  record.forgetPlace(start)
  if (child) record.forgetPlace(endPath(start))
  if (step.kind !== 'uses' || child) return
  // What its catch has done is not its own.
  const calls = record.attempts(start).filter(({ path }) => stepAddressOfCall(path) === start)
  const back = step.uses.action.safety === 'create' ? certainlyUndone(calls) : calls
  for (const attempt of back) record.takeBack(attempt)
}

/**
 * Withdraws all attempts of a step and of the steps inside it, but for a create with an unknown outcome, of a step that
 * starts again only if the run reaches it again.
 */
function removeInside<Attempt extends ReopenedAttempt>(
  path: string,
  index: PlanIndex,
  record: ReopenedRecord<Attempt>,
  isKept: IsKept,
  how?: 'keeps-creates',
): void {
  const isCreate = (call: string): boolean => {
    const step = index.ownerOf(call)?.step
    return step?.kind === 'uses' && step.uses.action.safety === 'create'
  }
  for (const attempt of record.attempts(path)) {
    const stays =
      isCreate(attempt.path) &&
      (isUnresolved(attempt) || (how === 'keeps-creates' && attempt.status === 'succeeded'))
    if (attempt.status === 'succeeded' && isKept(stepAddressOfCall(attempt.path))) record.keep(attempt)
    else if (!stays) record.takeBack(attempt)
  }
  record.forgetInside(path, (one) => isKept(one) || (how === 'keeps-creates' && isCreate(one)))
}

type Remove = (path: string, how?: 'keeps-creates') => void

/**
 * A failed turn is tried again. Where no turn failed, there were too many: the turns begin anew, unless they have
 * created something.
 */
function reopenTurns<Attempt extends ReopenedAttempt>(
  path: string,
  { turns, steps }: BlockStepPlan,
  failed: readonly string[],
  index: PlanIndex,
  record: ReopenedRecord<Attempt>,
  remove: Remove,
): void {
  for (const turn of failed) record.reset(turn)
  if (!turns || failed.length > 0 || steps.some((step) => mayCreate(step, index))) return
  for (let turn = 0; turn < turns.atMost; turn++) remove(`${path}[${turn}]`)
}

function mayCreate(step: StepPlan, index: PlanIndex): boolean {
  if (step.kind === 'uses' && step.uses.action.safety === 'create') return true
  return [...index.inside(step).values()].some((inner) => mayCreate(inner, index))
}

/** The last attempts of a create, as far as they were certainly not executed. */
function certainlyUndone<Attempt extends ReopenedAttempt>(calls: readonly Attempt[]): readonly Attempt[] {
  // Later rounds of a batch group its items anew: the path does not identify the items of a group.
  if (calls.some(({ attempt, status }) => attempt > 1 && status === 'succeeded')) return []
  const settled = new Set<string>()
  return [...calls]
    .sort((one, other) => other.attempt - one.attempt)
    .filter((call) => {
      // To write what was answered into a file creates nothing.
      const isFile = call.action === 'core/write'
      if (!isFile && (call.status === 'succeeded' || isUnresolved(call))) settled.add(call.path)
      return !settled.has(call.path)
    })
}

/** The outcome of the attempt is unknown. */
function isUnresolved({ status, error }: ReopenedAttempt): boolean {
  return status === 'begun' || (error !== undefined && leavesOutcomeUnknown(error))
}

/** The steps that failed, or were cancelled, and made everything around them fail. */
function guiltySteps(paths: readonly string[], items: ReadonlySet<string>): readonly string[] {
  const failed = new Set(paths)
  const counts = (path: string): boolean => {
    if (!failed.has(path)) return false
    const around = path.slice(0, Math.max(path.lastIndexOf('/'), 0))
    if (around === '') return true
    if (!around.endsWith(']')) return counts(around)
    return items.has(around) && counts(loopOf(around))
  }
  return [...failed].filter(counts)
}

function loopOf(item: string): string {
  return item.slice(0, item.lastIndexOf('['))
}

function idsOf(steps: readonly StepPlan[] | undefined): readonly string[] {
  return steps?.map(({ id }) => id) ?? []
}
