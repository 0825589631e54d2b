import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { timerMs } from '../../../api/pacing/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import type { RunHandle } from '../../record/index.ts'
import { type KeyLine, readLine } from '../concurrency/key-rows.ts'
import { openDatabase } from '../database/database.ts'
import { isOwned } from '../run/ownership.ts'
import type { UnownedRun } from '../run/run-scope.ts'
import { countQueued, isOpen, listInterrupted, readQueued } from '../tables/queue-rows.ts'
import {
  belongsHere,
  countRunning,
  hasCapacity,
  isResting,
  type QueueState,
  queuePollMs,
  type ResumeWait,
  type RunQueueOptions,
  rest,
  takeRefusal,
} from './queue-state.ts'

/** Executes queued and interrupted runs of a data directory, with a limit on parallel runs. */
export interface RunQueue {
  /** Resumes interrupted runs and claims queued ones, then polls for new ones. */
  start(): void
  /** Polls now. */
  wake(): void
  /**
   * Resumes a run because a person asks for it. Resolves once it has begun, or waits in line. Rejects with what the
   * resume rejects with.
   */
  resume(runId: string, begin: (wait: ResumeWait) => Promise<RunHandle>): Promise<void>
  /** The number of runs that this process executes. */
  running(): number
  /** Whether this process, or its next start, resumes an interrupted run. */
  continues(runId: string): boolean
  /** Whether the run belongs to another scope, so that this process never claims it. */
  leaves(runId: string): boolean
  /** The number of runs that wait for this process. */
  countQueued(): number
  /** Interrupts every run. Resolves when they have stopped, or after the grace period. */
  stop(graceMs: number): Promise<void>
}

/** Opens the data directory. Nothing is claimed before `start`. */
export function createRunQueue(options: RunQueueOptions): RunQueue {
  const { dataDir, resume } = options
  const database = openDatabase(dataDir)
  const queue: QueueState = {
    options,
    database,
    active: new Map(),
    handles: new Set(),
    inLine: new Set(),
    stopping: new AbortController(),
    refusedUntil: new Map(),
    reported: new Set(),
    leftAlone: new Set(),
    interrupted: [],
  }
  let timer: NodeJS.Timeout | undefined
  return {
    start() {
      if (resume)
        queue.interrupted = listInterrupted(database, dataDir)
          .filter((run) => belongsHere(queue, run))
          .map(({ id }) => id)
      poll(queue)
      timer = setInterval(poll, queuePollMs, queue)
    },
    wake: () => poll(queue),
    resume: (runId, begin) => resumeNow(queue, runId, begin),
    running: () => countRunning(queue),
    continues: (runId) =>
      resume !== undefined &&
      (queue.stopping.signal.aborted || queue.active.has(runId) || queue.interrupted.includes(runId)),
    leaves: (runId) => queue.leftAlone.has(runId),
    countQueued: () => queue.interrupted.length + queue.inLine.size + countQueued(database),
    async stop(graceMs) {
      queue.stopping.abort()
      clearInterval(timer)
      for (const handle of queue.handles) handle.interrupt()
      await settled([...queue.active.values()], graceMs)
      database.close()
    },
  }
}

/** Begins what there is capacity for: interrupted runs first, then queued ones in their order. */
function poll(queue: QueueState): void {
  const { options, database, active, refusedUntil } = queue
  if (queue.stopping.signal.aborted || !hasCapacity(queue)) return
  if (options.resume) continueInterrupted(queue, options.resume)
  if (!hasCapacity(queue)) return
  // Interrupted runs get their concurrency key before queued ones, unless they were refused.
  const untried = queue.interrupted.filter((runId) => !refusedUntil.has(runId))
  // Runs that are being claimed may still be in the list.
  const limit = options.maxRuns + active.size + refusedUntil.size
  const isNext = createLines(database, options.dataDir, [...untried, ...active.keys()])
  const queued = readQueued(
    database,
    limit,
    (run, key) => (key === undefined || isNext(run, key)) && belongsHere(queue, run),
  )
  for (const runId of refusedUntil.keys())
    if (!queued.includes(runId) && !queue.interrupted.includes(runId)) refusedUntil.delete(runId)
  for (const runId of queued) {
    if (!hasCapacity(queue)) return
    if (!active.has(runId) && !isResting(queue, runId)) begin(queue, runId, 'claim', options.claim)
  }
}

function continueInterrupted(queue: QueueState, resume: NonNullable<RunQueueOptions['resume']>): void {
  for (const runId of [...queue.interrupted]) {
    if (!hasCapacity(queue)) return
    if (isResting(queue, runId)) continue
    if (isOwned(queue.options.dataDir, runId)) {
      // Checking the lock costs less than resuming, which waits for the owner.
      rest(queue, runId)
      continue
    }
    queue.interrupted = queue.interrupted.filter((id) => id !== runId)
    // Another process may have ended it in the meantime.
    const wait = { say: () => void queue.inLine.add(runId), signal: queue.stopping.signal }
    if (isOpen(queue.database, runId)) begin(queue, runId, 'resume', () => resume(runId, wait))
  }
}

function begin(
  queue: QueueState,
  runId: string,
  kind: 'claim' | 'resume',
  start: RunQueueOptions['claim'],
): void {
  const work = async (): Promise<void> => {
    try {
      const handle = await start(runId).finally(() => queue.inLine.delete(runId))
      await follow(queue, handle)
    } catch (error) {
      takeRefusal(queue, runId, kind, error)
    }
  }
  execute(queue, runId, work())
}

/** Counts a run as executed until its work is over, so that a stop waits for it. */
function execute(queue: QueueState, runId: string, work: Promise<void>): void {
  queue.active.set(
    runId,
    work.finally(() => {
      queue.active.delete(runId)
      poll(queue)
    }),
  )
}

async function resumeNow(
  queue: QueueState,
  ...[runId, begin]: Parameters<RunQueue['resume']>
): Promise<void> {
  const { active, inLine, stopping } = queue
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
        return follow(queue, handle)
      })
      // Once it has begun, its record says how it ended.
      .catch(reject)
    execute(queue, runId, work)
  })
}

async function follow({ handles, stopping }: QueueState, handle: RunHandle): Promise<void> {
  handles.add(handle)
  if (stopping.signal.aborted) handle.interrupt()
  try {
    await handle.result
  } finally {
    handles.delete(handle)
  }
}

/** Whether a run that waits for a concurrency key is next. Each line is read once. */
function createLines(
  database: DatabaseSyncInstance,
  dataDir: string,
  before: readonly string[],
): (run: UnownedRun, key: string) => boolean {
  const lines = new Map<string, KeyLine>()
  return ({ id, runbook }, key) => {
    const name = `${runbook} ${key}`
    const line = lines.get(name) ?? readLine(database, { dataDir, runbook, key }, before)
    lines.set(name, line)
    return line.placeOf(id) === undefined
  }
}

/** Resolves when all runs have ended, or after the grace period. */
async function settled(work: readonly Promise<void>[], graceMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timerMs(graceMs))
  })
  await Promise.race([Promise.all(work), grace])
  clearTimeout(timer)
}
