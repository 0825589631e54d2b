import type { Safety } from '../action.ts'
import { grouped } from '../group.ts'
import { stepAddressOfCall, stepPathOf } from '../plan/step-address.ts'
import { type ErrorData, leavesOutcomeUnknown, RunbookError } from '../run-error.ts'
import { callName, placesIn, withoutPlaces } from './call-names.ts'
import type { Override, StepOverrides } from './resume-changes.ts'

/** A call that has not been made since the run was changed. */
export interface NewCall extends CallName {
  readonly safety: Safety
  /** Nothing is sent. */
  readonly isLocal: boolean
}

/** What becomes of it: what was done before counts for it, or it is made. */
export type Taken<Result extends ReusableResult = ReusableResult> =
  | { readonly kind: 'reused'; readonly reusable: Result }
  /** `hasUnknownOutcome`: the same call was made before the changes, and its outcome is unknown. */
  | { readonly kind: 'to-make'; readonly hasUnknownOutcome: boolean }

/** What was done before a run was changed, for its calls to take over. */
export interface ReusableResults<Result extends ReusableResult = ReusableResult> {
  /**
   * Decides about a call. Rejects with `PlanDrift`, which ends the run, where a write was executed with other arguments
   * and the user has chosen neither `--repeat` nor `--keep`.
   */
  take(call: NewCall): Promise<Taken<Result>>
}

/** What the reusable results are made of. */
export interface ReusableResultsOptions<Result extends ReusableResult> extends ReusableIndexOptions<Result> {
  readonly overrides: StepOverrides
  /** Gives the file of a reusable result, if it has one, to a call. False: another call has taken it since. */
  takeFile(reusable: Result, call: NewCall): boolean | Promise<boolean>
  /** It is made again, and can be taken over no more. */
  giveUp(reusable: Result): void
}

export function createReusableResults<Result extends ReusableResult>(
  options: ReusableResultsOptions<Result>,
): ReusableResults<Result> {
  const { overrides, takeFile, giveUp } = options
  const index = indexReusableResults(options)

  /** What a call may take over; of those with its arguments the one at its own place first. */
  const choose = (call: NewCall, override: Override | undefined): Result | undefined => {
    const here = ({ path }: ReusableResult): boolean => path === call.path
    const same = index.equalCalls(call)
    const exact = same.find(here) ?? same[0]
    if (exact || override !== 'keep') return exact
    const done = index.doneBy(callName(call.path), call.action)
    // A step that has another id now, or stands elsewhere, can be kept all the same.
    return done.find(here) ?? done[0] ?? index.removedCreate(call) ?? index.doneByGone(call.action)[0]
  }
  const isCovered = (override: Override | undefined, { safety, isLocal }: NewCall): boolean =>
    override === 'repeat' || (override === 'from' && (safety === 'read' || isLocal))

  const reuse = async (call: NewCall, override: Override | undefined): Promise<Taken<Result> | undefined> => {
    if (isCovered(override, call)) return undefined
    for (let reusable = choose(call, override); reusable; reusable = choose(call, override)) {
      index.remove(reusable)
      const hasFile = await takeFile(reusable, call)
      // A file can be written again. A request that was sent has its effect, with or without the file.
      if (!hasFile && (call.safety === 'read' || call.isLocal)) continue
      index.noteTaken(reusable, call)
      return { kind: 'reused', reusable }
    }
    return undefined
  }
  const make = (call: NewCall, override: Override | undefined): Taken<Result> => {
    const { path, safety, isLocal } = call
    if (safety === 'read' || isLocal) return { kind: 'to-make', hasUnknownOutcome: false }
    const open = index.openTwin(call)
    if (safety === 'create' || !open) refuseChanged(call, override)
    // What is made again counts no more as done: no later resume needs an override for it.
    const again = [
      ...(open ? [open] : []),
      ...(override === 'repeat' ? index.at(stepAddressOfCall(path)) : []),
    ]
    for (const reusable of again) {
      index.remove(reusable)
      giveUp(reusable)
    }
    return { kind: 'to-make', hasUnknownOutcome: open !== undefined }
  }
  const refuseChanged = (call: NewCall, override: Override | undefined): void => {
    if (override === 'repeat' || override === 'repeat-changed') return
    const step = stepPathOf(call.path)
    if (index.writesOf(step).length > 0 && !index.isOnlyRefused(call))
      throw drift(call, step, 'was executed before with other arguments')
    if (index.isTakenByOther(call)) throw drift(call, step, 'was executed before, and kept for another call')
    const removed = call.safety === 'create' ? index.removedCreate(call) : undefined
    if (removed)
      throw drift(call, step, `would do again what ${removed.path} did, which is gone from the runbook`)
  }
  return {
    async take(call) {
      const override = overrides.of(stepAddressOfCall(call.path))
      return (await reuse(call, override)) ?? make(call, override)
    },
  }
}

function drift({ path }: CallName, step: string, what: string): RunbookError {
  const message = `${path} ${what}: nothing was sent; say whether to repeat or to keep ${step}`
  return new RunbookError('PlanDrift', message, { path, notSent: true, endsRun: true, details: { step } })
}

/** A call, by what it is recognised by. */
export interface CallName {
  readonly path: string
  readonly action: string
  /** Equal for calls of an action that ask for the same: a text of it, or its hash. */
  readonly asked: string
}

/** An attempt from before the changes that a call can take over, or must know of. */
export interface ReusableResult extends CallName {
  readonly id: number
  /** `open`: its outcome is unknown. `undone`: it was certainly not executed. */
  readonly outcome: 'done' | 'open' | 'undone'
}

/** What an attempt counts as once it is set aside that ended like this: without an error it went well. */
export function outcomeOfEnded(error: ErrorData | undefined): ReusableResult['outcome'] {
  if (error === undefined) return 'done'
  return leavesOutcomeUnknown(error) || error.mayHaveExecuted === true ? 'open' : 'undone'
}

/** What the index is made of. */
export interface ReusableIndexOptions<Result extends ReusableResult> {
  readonly reusables: readonly Result[]
  /** What was taken over by calls with other arguments. */
  readonly kept: readonly Pick<CallName, 'action' | 'asked'>[]
  /** Whether a call with this path changed something elsewhere, in any runbook that the run has had. */
  readonly isWrite: (reusable: Result) => boolean
  /** Whether the runbook of today has a step with this path and action. */
  readonly hasStep: (path: string, action: string) => boolean
}

/** The reusable results that no call has taken over yet, by what their calls asked for. */
export interface ReusableIndex<Result extends ReusableResult> {
  /** The same call, executed. */
  equalCalls(call: CallName): readonly Result[]
  /** The executed calls with this name and an action. */
  doneBy(name: string, action: string): readonly Result[]
  /** Those of a step or an item, by its whole path. */
  at(stepPath: string): readonly Result[]
  /** The writes of a step that were, or may have been, executed, at any position of its items. */
  writesOf(step: string): readonly Result[]
  /** The same call, with an unknown outcome. */
  openTwin(call: CallName): Result | undefined
  /** The same call, of a step that the runbook no longer has. */
  removedCreate(call: CallName): Result | undefined
  /** The executed calls of an action by steps that the runbook no longer has. */
  doneByGone(action: string): readonly Result[]
  /** The same call of an item was tried and certainly not executed, and it was the only one at its position. */
  isOnlyRefused(call: CallName): boolean
  /** The same call was executed, and a call with other arguments has reused its result. */
  isTakenByOther(call: CallName): boolean
  remove(reusable: ReusableResult): void
  noteTaken(reusable: ReusableResult, by: CallName): void
}

function indexReusableResults<Result extends ReusableResult>({
  reusables,
  kept,
  isWrite,
  hasStep,
}: ReusableIndexOptions<Result>): ReusableIndex<Result> {
  const byKey = grouped(reusables.map((one) => [keyOf(one), one]))
  const byName = grouped(reusables.map((one) => [callName(one.path), one]))
  const byStep = grouped(reusables.map((one) => [stepPathOf(one.path), one]))
  const gone = new Set<number>()
  const taken = new Set(kept.map(deedOf))
  const isHere = ({ id }: ReusableResult): boolean => !gone.has(id)
  const ofStep = (step: string): readonly Result[] => (byStep.get(step) ?? []).filter(isHere)
  const isDone = ({ outcome }: ReusableResult): boolean => outcome !== 'undone'
  const ofGone = reusables.filter(
    ({ path, action, outcome }) => outcome === 'done' && !hasStep(stepPathOf(path), action),
  )
  const doneByGone = (action: string): readonly Result[] =>
    ofGone.filter((reusable) => reusable.action === action && isHere(reusable))
  return {
    equalCalls: (call) =>
      (byKey.get(keyOf(call)) ?? []).filter((reusable) => reusable.outcome === 'done' && isHere(reusable)),
    doneBy: (name, action) =>
      (byName.get(name) ?? []).filter(
        (reusable) => reusable.outcome === 'done' && reusable.action === action && isHere(reusable),
      ),
    at: (stepPath) =>
      ofStep(withoutPlaces(stepPath)).filter(
        (reusable) => isDone(reusable) && stepAddressOfCall(reusable.path) === stepPath,
      ),
    writesOf: (step) => ofStep(step).filter((reusable) => isDone(reusable) && isWrite(reusable)),
    openTwin: (call) =>
      ofStep(stepPathOf(call.path)).find(
        (reusable) => reusable.outcome === 'open' && keyOf(reusable) === keyOf(call),
      ),
    removedCreate: (call) => doneByGone(call.action).find(({ asked }) => asked === call.asked),
    doneByGone,
    isOnlyRefused(call) {
      if (placesIn(call.path) === 0) return false
      const all = byStep.get(stepPathOf(call.path)) ?? []
      const refused = all.filter(
        (reusable) => reusable.outcome === 'undone' && keyOf(reusable) === keyOf(call),
      )
      const places = new Set(all.filter(isDone).map(({ path }) => path))
      return refused.some(({ path }) => !places.has(path))
    },
    isTakenByOther: (call) => taken.has(deedOf(call)),
    remove: ({ id }) => void gone.add(id),
    noteTaken(reusable, by) {
      if (reusable.asked !== by.asked) taken.add(deedOf(reusable))
    },
  }
}

/** Equal for calls that do the same, whichever step makes them. */
function deedOf({ action, asked }: Pick<CallName, 'action' | 'asked'>): string {
  return `${action} ${asked}`
}

/** Equal for calls that do the same in the same step. */
function keyOf({ path, action, asked }: CallName): string {
  return `${callName(path)} ${action} ${asked}`
}
