import { RunbookError } from '../../core/run-error.ts'
import type { RunHandle } from '../record/run-handle.ts'
import { openDatabase } from './database.ts'
import { isOwned } from './ownership.ts'
import { countAsking, countWaiting, isOpen, listInterrupted, readWaiting } from './queue-rows.ts'
import type { UnownedRun } from './run-scope.ts'

/** Carries out the runs of a data directory that nobody else does, so many at a time. */
export interface RunQueue {
  /** Takes up what was interrupted before, and what waits; from then on looks for what comes. */
  start(): void
  /** Looks now for what waits. */
  wake(): void
  /** How many runs go on here. */
  readonly running: number
  /** Whether a run that was interrupted goes on here, now or at its turn, or when this process begins anew. */
  continues(runId: string): boolean
  /** Whether it belongs elsewhere: this process never begins it. */
  leaves(runId: string): boolean
  /** How many wait for that. */
  countWaiting(): number
  /** Asks every run to stop where it can go on later. Resolves when they have, or after so long. */
  stop(graceMs: number): Promise<void>
}

/** What a queue works with. */
export interface RunQueueOptions {
  readonly dataDir: string
  /**
   * No more runs than so many go on at once; the rest waits in the order in which it came. One that waits for a person
   * takes no place, and goes on at once when it is answered; ten times as many runs are in hand at most.
   */
  readonly maxRuns: number
  /** Begins a run that waits. */
  readonly takeUp: (runId: string) => Promise<RunHandle>
  /** Goes on with a run that was interrupted; left out: such runs are left alone. */
  readonly goOn?: (runId: string) => Promise<RunHandle>
  /**
   * Why a run is left alone; undefined: it belongs here.
   * @default every run belongs here
   */
  readonly whyLeftAlone?: (run: UnownedRun) => string | undefined
  /** Told of each run that is left alone, once. */
  readonly onLeftAlone?: (run: UnownedRun, reason: string) => void
  /** Told why a run could not be begun or gone on with. */
  readonly onRefused: (runId: string, error: unknown) => void
}

/** How long a run that another process has recorded may lie there unseen. */
const lookMs = 250
/** Those that wait for people take up memory all the same: with them there are no more than so many for each place. */
const mostInHand = 10
/** How long one that could not be begun is left alone. */
const restMs = 5000

export function createRunQueue(options: RunQueueOptions): RunQueue {
  const { dataDir, maxRuns, takeUp, goOn, whyLeftAlone, onLeftAlone, onRefused } = options
  const database = openDatabase(dataDir)
  const active = new Map<string, Promise<void>>()
  const handles = new Set<RunHandle>()
  /** Runs that could not be begun, and until when they are left alone. */
  const refusedUntil = new Map<string, number>()
  /** Interrupted runs that people know of as refused. */
  const told = new Set<string>()
  /** Runs that belong elsewhere, and that people know of. */
  const leftAlone = new Set<string>()
  /** In the order in which they were started; those that were refused come last. */
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
  const hasPlace = (): boolean =>
    active.size < maxRuns ||
    (active.size < mostInHand * maxRuns && active.size - countAsking(database, [...active.keys()]) < maxRuns)
  const carryOut = async (runId: string, begin: (runId: string) => Promise<RunHandle>): Promise<void> => {
    try {
      const handle = await begin(runId)
      handles.add(handle)
      if (isStopping) handle.interrupt()
      try {
        await handle.result
      } finally {
        handles.delete(handle)
      }
    } catch (error) {
      // Another process was faster, or has it still.
      const code = RunbookError.is(error) ? error.code : undefined
      // One that waits for the end of another run is looked at each time.
      refusedUntil.set(runId, Date.now() + (code === 'ConcurrencyConflict' ? lookMs : restMs))
      if (code === 'RunInUse') {
        if (begin !== takeUp) interrupted.push(runId)
        return
      }
      if (begin === takeUp) {
        if (code !== 'ConcurrencyConflict') onRefused(runId, error)
        return
      }
      if (code === 'RepeatedCrash') {
        onRefused(runId, error)
        return
      }
      interrupted.push(runId)
      // It is tried again and again, and told of once.
      if (!told.has(runId)) onRefused(runId, error)
      told.add(runId)
    }
  }
  const begin = (runId: string, how: (runId: string) => Promise<RunHandle>): void => {
    const work = carryOut(runId, how).finally(() => {
      active.delete(runId)
      look()
    })
    active.set(runId, work)
  }
  const isResting = (runId: string): boolean => {
    const untilMs = refusedUntil.get(runId)
    if (untilMs === undefined) return false
    const restsMs = untilMs - Date.now()
    // A clock that was set back keeps nobody waiting.
    if (restsMs > 0 && restsMs <= restMs) return true
    refusedUntil.delete(runId)
    return false
  }
  const continueInterrupted = (goOn: (runId: string) => Promise<RunHandle>): void => {
    for (const runId of [...interrupted]) {
      if (!hasPlace()) return
      if (isResting(runId)) continue
      if (isOwned(dataDir, runId)) {
        // Asking costs less than trying, which waits for its owner.
        refusedUntil.set(runId, Date.now() + restMs)
        continue
      }
      interrupted = interrupted.filter((id) => id !== runId)
      // Somebody else may have ended it meanwhile.
      if (isOpen(database, runId)) begin(runId, goOn)
    }
  }
  const look = (): void => {
    if (isStopping || !hasPlace()) return
    if (goOn) continueInterrupted(goOn)
    if (!hasPlace()) return
    // What was interrupted has its concurrency key before those that wait, unless it was refused.
    const untried = interrupted.filter((runId) => !refusedUntil.has(runId))
    // Those that are being taken up may still be in the list.
    const limit = maxRuns + active.size + refusedUntil.size
    const waiting = readWaiting(database, limit, [...untried, ...active.keys()], belongsHere)
    for (const runId of refusedUntil.keys())
      if (!waiting.includes(runId) && !interrupted.includes(runId)) refusedUntil.delete(runId)
    for (const runId of waiting) {
      if (!hasPlace()) return
      if (!active.has(runId) && !isResting(runId)) begin(runId, takeUp)
    }
  }
  return {
    start() {
      if (goOn)
        interrupted = listInterrupted(database, dataDir)
          .filter(belongsHere)
          .map(({ id }) => id)
      look()
      timer = setInterval(look, lookMs)
    },
    wake: look,
    get running() {
      return active.size
    },
    continues: (runId) =>
      goOn !== undefined && (isStopping || active.has(runId) || interrupted.includes(runId)),
    leaves: (runId) => leftAlone.has(runId),
    countWaiting: () => interrupted.length + countWaiting(database),
    async stop(graceMs) {
      isStopping = true
      clearInterval(timer)
      for (const handle of handles) handle.interrupt()
      await settled([...active.values()], graceMs)
      database.close()
    },
  }
}

/** Resolves when all of it has ended, or after so long. */
async function settled(work: readonly Promise<void>[], graceMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs)
  })
  await Promise.race([Promise.all(work), grace])
  clearTimeout(timer)
}
