import { condition } from '@temporalio/workflow'
import { keepNewestShown } from '../../../../core/approval/index.ts'
import type { CheckedChildInputs, KnownAttempt, RememberedResult } from '../../../../core/host/index.ts'
import { createReplayOrder, type ReplayOrder } from '../../../../core/record/index.ts'
import { type ContinuedAttempt, type ContinuedState, isInsideSettled, isOpen } from '../../continued-state.ts'
import { attemptKey } from '../../messages.ts'

/** What a workflow knows of its run, from this execution and earlier ones. */
export interface WorkflowMemory {
  readonly replay: ReplayOrder
  /** Resolves when all calls of earlier executions were replayed. */
  readonly replayed: Promise<void>
  /** Resolves after that, when everything that follows immediately is done: new calls may start. */
  readonly caughtUp: Promise<void>
  isCaughtUp(): boolean
  /** How many attempts have ended so far. */
  ended(): number
  readonly results: Map<string, RememberedResult | 'begun'>
  readonly firstReached: Map<string, number>
  readonly worked: Map<string, number>
  readonly inputs: Map<string, CheckedChildInputs>
  /** Sensitive inputs of child runbooks, also of those that have ended. */
  readonly sensitiveInputs: Set<string>
  /** The result of an attempt in an earlier execution. */
  find(path: string, attempt: number): KnownAttempt | undefined
  keep(ended: ContinuedAttempt): void
  /** Whether the run can reach a path again. */
  isOpen(path: string): boolean
  /** How many of the first `ended` attempts are in the continued state. */
  continuedOf(ended: number): number
  /** The continued state, without what the run does not reach again. */
  carry(): Pick<
    ContinuedState,
    'attempts' | 'results' | 'firstReached' | 'worked' | 'inputs' | 'sensitiveInputs'
  >
}

export function createWorkflowMemory(before: ContinuedState): WorkflowMemory {
  const known = new Map(
    before.attempts.map((one, position) => {
      const { attempted, requestId } = one
      return [attemptKey(one), { status: 'ended', attempted, position, requestId } as const]
    }),
  )
  const attempts = [...before.attempts]
  const results = new Map(before.results)
  const firstReached = new Map(before.firstReached)
  const worked = new Map(before.worked)
  const inputs = new Map(before.inputs)
  const sensitiveInputs = new Set(before.sensitiveInputs)
  const replay = createReplayOrder(known.size, whenIdle)
  let isCaughtUp = before.lastSeq === 0
  const replayed = isCaughtUp ? Promise.resolve() : replayAll()
  const caughtUp = isCaughtUp ? replayed : catchUp()

  async function replayAll(): Promise<void> {
    await new Promise<void>(whenIdle)
    await replay.afterReplay()
  }
  async function catchUp(): Promise<void> {
    await replayed
    await new Promise<void>(whenIdle)
    isCaughtUp = true
  }
  const isOpenHere = (path: string): boolean => isOpen(path, results)
  return {
    replay,
    replayed,
    caughtUp,
    isOpen: isOpenHere,
    isCaughtUp: () => isCaughtUp,
    ended: () => attempts.length,
    results,
    firstReached,
    worked,
    inputs,
    sensitiveInputs,
    find: (path, attempt) => known.get(attemptKey({ path, attempt })),
    keep: (ended) => void attempts.push(ended),
    continuedOf: (ended) => attempts.slice(0, ended).filter(({ path }) => isOpenHere(path)).length,
    carry() {
      const open = <T>(entries: ReadonlyMap<string, T>): readonly (readonly [string, T])[] =>
        [...entries].filter(([path]) => isOpenHere(path))
      return {
        attempts: attempts.filter(({ path }) => isOpenHere(path)),
        results: withNewestPermits([...results].filter(([path]) => !isInsideSettled(path, results))),
        firstReached: open(firstReached),
        worked: open(worked),
        inputs: open(inputs),
        ...(sensitiveInputs.size === 0 ? {} : { sensitiveInputs: [...sensitiveInputs] }),
      }
    },
  }
}

/** Of what people have approved, the newest is kept as they saw it: the state of a run has a limit. */
function withNewestPermits(results: ContinuedState['results']): ContinuedState['results'] {
  const permitOf = (result: RememberedResult | 'begun'): SealedPermit | undefined =>
    result !== 'begun' && result.permit?.kind === 'sealed' ? result.permit : undefined
  const permits = results.flatMap(([, result]) => permitOf(result) ?? [])
  const kept = keepNewestShown(permits)
  const shorter = new Map(permits.map((permit, index) => [permit, kept[index]]))
  return results.map(([path, result]) => {
    const permit = permitOf(result)
    return [path, permit && result !== 'begun' ? { ...result, permit: shorter.get(permit) } : result] as const
  })
}

type SealedPermit = Extract<NonNullable<RememberedResult['permit']>, { readonly kind: 'sealed' }>

/**
 * Calls back when the workflow has nothing left to do but wait: the SDK evaluates conditions again only after all pending
 * promises have run. Needs no timer, and adds nothing to the history.
 */
function whenIdle(callback: () => void): void {
  let isFirstLook = true
  void condition(() => {
    const isLater = !isFirstLook
    isFirstLook = false
    return isLater
  }).then(callback)
}
