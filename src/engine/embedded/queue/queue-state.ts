import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../../core/run-error.ts'
import { systemClock } from '../../attempt/index.ts'
import type { RunHandle } from '../../record/index.ts'
import type { UnownedRun } from '../run/run-scope.ts'
import { countAsking } from '../tables/queue-rows.ts'

/** How often the database is read for new runs. */
export const queuePollMs = 250
/** Runs that wait for answers use memory too, so their number is limited. */
const mostInHand = 10
/** How long a run that could not be started is left alone. */
const restMs = 5000

/** What a queue takes. */
export interface RunQueueOptions {
  readonly dataDir: string
  /**
   * The maximum number of parallel runs; the others wait in their order. A run that waits for an answer does not count,
   * and continues when it is answered. In total, the process holds at most ten times this number.
   */
  readonly maxRuns: number
  /** Claims and starts a queued run. */
  readonly claim: (runId: string) => Promise<RunHandle>
  /** Resumes an interrupted run, in its order. Left out: such runs are left alone. */
  readonly resume?: (runId: string, wait: ResumeWait) => Promise<RunHandle>
  /**
   * The reason why a run is left alone. Undefined: it belongs here.
   * @default every run belongs here
   */
  readonly whyLeftAlone?: (run: UnownedRun) => string | undefined
  /** Called once for each run that is left alone. */
  readonly onLeftAlone?: (run: UnownedRun, reason: string) => void
  /** Receives the reason why a run could not be started or resumed. */
  readonly onRefused: (runId: string, error: unknown) => void
}

/** How a resumed run waits for its concurrency key. */
export interface ResumeWait {
  /** Called once the run waits: it does not count as executed until it has the key. */
  readonly say: (text: string) => void
  /** Aborted when the queue stops. */
  readonly signal: AbortSignal
}

/** What a queue knows of the runs of its data directory. */
export interface QueueState {
  readonly options: RunQueueOptions
  readonly database: DatabaseSyncInstance
  /** The runs of this process, and what resolves when each is over. */
  readonly active: Map<string, Promise<void>>
  readonly handles: Set<RunHandle>
  /** The resumed runs that wait in line. They need no capacity: else those before them could not be claimed. */
  readonly inLine: Set<string>
  readonly stopping: AbortController
  /** The runs that could not be started, and until when they are left alone. */
  readonly refusedUntil: Map<string, number>
  /** Interrupted runs whose refusal was reported. */
  readonly reported: Set<string>
  /** Runs of another scope that were reported. */
  readonly leftAlone: Set<string>
  /** In the order of their starts; refused ones come last. */
  interrupted: string[]
}

/** The number of runs that the process executes. */
export function countRunning({ active, inLine }: QueueState): number {
  return active.size - inLine.size
}

/** Whether another run may begin. */
export function hasCapacity(queue: QueueState): boolean {
  const { database, active } = queue
  const { maxRuns } = queue.options
  const running = countRunning(queue)
  return (
    running < maxRuns ||
    (running < mostInHand * maxRuns && running - countAsking(database, [...active.keys()]) < maxRuns)
  )
}

/** Whether the run is of this scope. One that is not is reported once. */
export function belongsHere({ options, leftAlone }: QueueState, run: UnownedRun): boolean {
  const reason = options.whyLeftAlone?.(run)
  if (reason === undefined) return true
  if (!leftAlone.has(run.id)) options.onLeftAlone?.(run, reason)
  leftAlone.add(run.id)
  return false
}

/** Whether a run that could not be started is left alone. */
export function isResting({ refusedUntil }: QueueState, runId: string): boolean {
  const untilMs = refusedUntil.get(runId)
  if (untilMs === undefined) return false
  if (untilMs > systemClock.now()) return true
  refusedUntil.delete(runId)
  return false
}

/** Leaves a run alone for a while. */
export function rest({ refusedUntil }: QueueState, runId: string, forMs: number = restMs): void {
  refusedUntil.set(runId, systemClock.now() + forMs)
}

/** Takes the reason why a run could not be claimed or resumed: it is tried again later, or reported. */
export function takeRefusal(
  queue: QueueState,
  runId: string,
  kind: 'claim' | 'resume',
  error: unknown,
): void {
  const { options, reported, interrupted } = queue
  // `RunInUse`: another process was faster, or still owns the run.
  const code = RunbookError.is(error) ? error.code : undefined
  if (queue.stopping.signal.aborted && code === 'Interrupted') return
  // A run that waits for another one is tried at each poll.
  rest(queue, runId, code === 'ConcurrencyConflict' ? queuePollMs : restMs)
  // It is tried again at each poll, and reported once.
  const isTriedAgain = kind === 'resume' && code !== 'RepeatedCrash'
  if (isTriedAgain) interrupted.push(runId)
  if (code === 'RunInUse' || (kind === 'claim' && code === 'ConcurrencyConflict')) return
  if (!isTriedAgain || !reported.has(runId)) options.onRefused(runId, error)
  if (isTriedAgain) reported.add(runId)
}
