import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../../core/run-error.ts'
import { systemClock } from '../../attempt/index.ts'
import type { RunHandle } from '../../record/index.ts'
import { type KeyLine, readLine } from '../concurrency/key-rows.ts'
import { openDatabase } from '../database/database.ts'
import { isOwned } from '../run/ownership.ts'
import type { UnownedRun } from '../run/run-scope.ts'
import { countAsking, countQueued, isOpen, listInterrupted, readQueued } from '../tables/queue-rows.ts'

/** Executes queued and interrupted runs of a data directory, with a limit on parallel runs. */
export interface RunQueue {
  /** Resumes interrupted runs and claims queued ones, then polls for new ones. */
  start(): void
  /** Polls now. */
  wake(): void
  /**
   * Resumes a run because a person asks for it. Resolves once it has begun, or waits for its turn. Rejects with what the
   * resume rejects with.
   */
  resume(runId: string, begin: (turn: QueueTurn) => Promise<RunHandle>): Promise<void>
  /** The number of runs that this process executes. */
  readonly running: number
  /** Whether this process, or its next start, resumes an interrupted run. */
  continues(runId: string): boolean
  /** Whether the run belongs to another scope, so that this process never claims it. */
  leaves(runId: string): boolean
  /** The number of runs that wait for this process. */
  countQueued(): number
  /** Interrupts every run. Resolves when they have stopped, or after the grace period. */
  stop(graceMs: number): Promise<void>
}

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
  /** Resumes an interrupted run, in its turn. Left out: such runs are left alone. */
  readonly resume?: (runId: string, turn: QueueTurn) => Promise<RunHandle>
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
export interface QueueTurn {
  /** Called once the run waits: it does not count as executed until its turn. */
  readonly say: (text: string) => void
  /** Aborted when the queue stops. */
  readonly signal: AbortSignal
}

/** How often the database is read for new runs. */
const pollMs = 250
/** Runs that wait for answers use memory too, so their number is limited. */
const mostInHand = 10
/** How long a run that could not be started is left alone. */
const restMs = 5000

export function createRunQueue(options: RunQueueOptions): RunQueue {
  const { dataDir, maxRuns, claim, resume, whyLeftAlone, onLeftAlone, onRefused } = options
  const database = openDatabase(dataDir)
  const active = new Map<string, Promise<void>>()
  const handles = new Set<RunHandle>()
  /** The resumed runs that wait for their turn. They need no capacity: else those before them could not be claimed. */
  const inLine = new Set<string>()
  const stopping = new AbortController()
  /** The runs that could not be started, and until when they are left alone. */
  const refusedUntil = new Map<string, number>()
  /** Interrupted runs whose refusal was reported. */
  const reported = new Set<string>()
  /** Runs of another scope that were reported. */
  const leftAlone = new Set<string>()
  /** In the order of their starts; refused ones come last. */
  let interrupted: string[] = []
  let timer: NodeJS.Timeout | undefined
  let isStopping = false

  const belongsHere = (run: UnownedRun): boolean => {
    const reason = whyLeftAlone?.(run)
    if (reason === undefined) return true
    if (!leftAlone.has(run.id)) onLeftAlone?.(run, reason)
    leftAlone.add(run.id)
    return false
  }
  const hasCapacity = (): boolean => {
    const executed = active.size - inLine.size
    return (
      executed < maxRuns ||
      (executed < mostInHand * maxRuns && executed - countAsking(database, [...active.keys()]) < maxRuns)
    )
  }
  const execute = async (runId: string, begin: (runId: string) => Promise<RunHandle>): Promise<void> => {
    try {
      const handle = await begin(runId).finally(() => inLine.delete(runId))
      await follow(handle)
    } catch (error) {
      // `RunInUse`: another process was faster, or still owns the run.
      const code = RunbookError.is(error) ? error.code : undefined
      if (isStopping && code === 'Interrupted') return
      // A run that waits for another one is tried at each poll.
      refusedUntil.set(runId, systemClock.now() + (code === 'ConcurrencyConflict' ? pollMs : restMs))
      if (code === 'RunInUse') {
        if (begin !== claim) interrupted.push(runId)
        return
      }
      if (begin === claim) {
        if (code !== 'ConcurrencyConflict') onRefused(runId, error)
        return
      }
      if (code === 'RepeatedCrash') {
        onRefused(runId, error)
        return
      }
      interrupted.push(runId)
      // The run is tried again at each poll, and reported once.
      if (!reported.has(runId)) onRefused(runId, error)
      reported.add(runId)
    }
  }
  const resumeNow: RunQueue['resume'] = async (runId, begin) => {
    if (active.has(runId))
      throw new RunbookError('RunInUse', `${runId} is being run by this process`, { notSent: true })
    await new Promise<void>((resolve, reject) => {
      const say = (): void => {
        inLine.add(runId)
        resolve()
      }
      const work = begin({ say, signal: stopping.signal })
        .finally(() => inLine.delete(runId))
        .then((handle) => {
          resolve()
          return follow(handle)
        })
        // Once it has begun, its record says how it ended.
        .catch(reject)
        .finally(() => {
          active.delete(runId)
          poll()
        })
      // It counts as executed from now on, so that a stop waits for it.
      active.set(runId, work)
    })
  }
  const follow = async (handle: RunHandle): Promise<void> => {
    handles.add(handle)
    if (isStopping) handle.interrupt()
    try {
      await handle.result
    } finally {
      handles.delete(handle)
    }
  }
  const begin = (runId: string, how: (runId: string) => Promise<RunHandle>): void => {
    const work = execute(runId, how).finally(() => {
      active.delete(runId)
      poll()
    })
    active.set(runId, work)
  }
  const isResting = (runId: string): boolean => {
    const untilMs = refusedUntil.get(runId)
    if (untilMs === undefined) return false
    if (untilMs > systemClock.now()) return true
    refusedUntil.delete(runId)
    return false
  }
  const continueInterrupted = (resume: NonNullable<RunQueueOptions['resume']>): void => {
    for (const runId of [...interrupted]) {
      if (!hasCapacity()) return
      if (isResting(runId)) continue
      if (isOwned(dataDir, runId)) {
        // Checking the lock costs less than resuming, which waits for the owner.
        refusedUntil.set(runId, systemClock.now() + restMs)
        continue
      }
      interrupted = interrupted.filter((id) => id !== runId)
      // Another process may have ended it in the meantime.
      const say = (): void => void inLine.add(runId)
      if (isOpen(database, runId)) begin(runId, () => resume(runId, { say, signal: stopping.signal }))
    }
  }
  const poll = (): void => {
    if (isStopping || !hasCapacity()) return
    if (resume) continueInterrupted(resume)
    if (!hasCapacity()) return
    // Interrupted runs get their concurrency key before queued ones, unless they were refused.
    const untried = interrupted.filter((runId) => !refusedUntil.has(runId))
    // Runs that are being claimed may still be in the list.
    const limit = maxRuns + active.size + refusedUntil.size
    const isNext = createTurns(database, dataDir, [...untried, ...active.keys()])
    const queued = readQueued(
      database,
      limit,
      (run, key) => (key === undefined || isNext(run, key)) && belongsHere(run),
    )
    for (const runId of refusedUntil.keys())
      if (!queued.includes(runId) && !interrupted.includes(runId)) refusedUntil.delete(runId)
    for (const runId of queued) {
      if (!hasCapacity()) return
      if (!active.has(runId) && !isResting(runId)) begin(runId, claim)
    }
  }
  return {
    start() {
      if (resume)
        interrupted = listInterrupted(database, dataDir)
          .filter(belongsHere)
          .map(({ id }) => id)
      poll()
      timer = setInterval(poll, pollMs)
    },
    wake: poll,
    resume: resumeNow,
    get running() {
      return active.size - inLine.size
    },
    continues: (runId) =>
      resume !== undefined && (isStopping || active.has(runId) || interrupted.includes(runId)),
    leaves: (runId) => leftAlone.has(runId),
    countQueued: () => interrupted.length + inLine.size + countQueued(database),
    async stop(graceMs) {
      isStopping = true
      stopping.abort()
      clearInterval(timer)
      for (const handle of handles) handle.interrupt()
      await settled([...active.values()], graceMs)
      database.close()
    },
  }
}

/** Whether it is the turn of a run that waits for a concurrency key. Each line is read once. */
function createTurns(
  database: DatabaseSyncInstance,
  dataDir: string,
  before: readonly string[],
): (run: UnownedRun, key: string) => boolean {
  const lines = new Map<string, KeyLine>()
  return ({ id, runbook }, key) => {
    const name = `${runbook} ${key}`
    const line = lines.get(name) ?? readLine(database, { dataDir, runbook, key }, before)
    lines.set(name, line)
    return line.turnOf(id) === undefined
  }
}

/** Resolves when all runs have ended, or after the grace period. */
async function settled(work: readonly Promise<void>[], graceMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs)
  })
  await Promise.race([Promise.all(work), grace])
  clearTimeout(timer)
}
