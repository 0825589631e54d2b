import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../../core/events.ts'
import {
  type NoFireReason,
  refuseChangedPause,
  refuseStartedSince,
  type SchedulePause,
} from '../../../core/triggers/index.ts'
import type { TriggerPause } from '../../index.ts'
import type { ComposeNotice } from '../../notices/index.ts'
import { systemIdentity } from '../../record/index.ts'
import { inTransaction, openDatabase, readDatabaseIdentity } from '../database/database.ts'
import { writeNotice } from '../notifications/notice-store.ts'
import { readPause } from '../received-events/trigger-rows.ts'
import { isOwned } from '../run/ownership.ts'
import { openControlRequestRows } from '../tables/control-request-rows.ts'
import {
  type DeclaredSchedule,
  declareSchedules,
  forgetFires,
  isTimeDecided,
  lastFires,
  listSchedules,
  markServed,
  type OpenRun,
  readSchedule,
  removeSchedule,
  type ScheduleRow,
  type StoredSchedule,
  stillOpen,
  writeFire,
  writeSchedulePause,
  writeScheduleState,
} from './schedule-rows.ts'
import { type ScheduleDatabase, type ScheduledWork, startScheduled } from './start-scheduled.ts'

/** The recorded state that a decision about a schedule takes. */
export interface ScheduleMemory {
  /** Unix time in milliseconds. Times up to this one were evaluated. */
  readonly evaluatedUntilMs: number
  /** A time that waits for the end of the previous run. */
  readonly bufferedAtMs?: number
  /** Its runs that are active. */
  readonly running: readonly string[]
  /** The schedule is paused, or all automatic starts are. */
  readonly isPaused: boolean
  /** Whether that time was decided, and not just missed. */
  isDecided(atMs: number): boolean
}

/** The decisions of one evaluation of a schedule. All of them are recorded, or nothing. */
export interface ScheduleEvaluation {
  readonly fires: readonly EvaluatedFire[]
  readonly evaluatedUntilMs: number
  readonly bufferedAtMs?: number
  /** The runs to cancel first. */
  readonly cancels: readonly string[]
}

/** The decision about one time. Without a reason: a run is started. */
export interface EvaluatedFire {
  readonly atMs: number
  readonly because?: NoFireReason
  readonly message?: string
}

/** The schedules of a data directory. Each time is decided once, even if several processes have the directory open. */
export interface ScheduleTable {
  /** Records these schedules. Others stay, since another process may evaluate them. */
  declare(schedules: readonly DeclaredSchedule[], nowMs: number): void
  /** Marks these schedules, and no others, as evaluated by the process that holds the lock of `serve`. */
  serve(ids: readonly string[]): void
  /**
   * Evaluates a schedule, and records the decisions together with the runs that it starts, which are queued. Undefined:
   * there is no such schedule.
   */
  take<T extends ScheduleEvaluation>(
    id: string,
    nowMs: number,
    given: TakeOptions<T>,
  ): TakenEvaluation<T> | undefined
  /**
   * Starts a run now, and returns its id. The scheduled times are unaffected. Throws `ConcurrencyConflict` if another
   * run owns its concurrency key.
   */
  trigger(id: string, nowMs: number, work: ScheduledWork, by: Identity, shown?: string): string
  /** In the order of their ids. */
  list(fires: number): readonly StoredSchedule[]
  /** Pauses a schedule, or with `undefined` resumes it at its next time. False: there is no such schedule. */
  setPause(id: string, pause: SchedulePause | undefined, nowMs: number, shown?: string): boolean
  /** Removes a schedule and the results of its times. False: there is no such schedule. */
  remove(id: string): boolean
  /** The pause of all automatic starts. Undefined: they are not paused. */
  readPause(): TriggerPause | undefined
  close(): void
}

/** What {@link ScheduleTable.take} takes. */
export interface TakeOptions<T extends ScheduleEvaluation> {
  readonly work?: ScheduledWork
  readonly decide: (memory: ScheduleMemory) => T
}

/** An evaluation that is on disk. */
export interface TakenEvaluation<T extends ScheduleEvaluation> {
  readonly evaluation: T
  readonly started: readonly string[]
}

const dayMs = 86_400_000

/** How long the results of times are kept. */
const keepFiresMs = 90 * dayMs

/** How the schedules of a data directory are opened. */
export interface ScheduleTableOptions {
  readonly dataDir: string
  /** Formats the notification about missed times. @default no notifications */
  readonly notices?: ComposeNotice
  /** Whether this process resumes an interrupted run. @default it resumes none */
  readonly continues?: (runId: string) => boolean
  /** Whether this process never claims a queued run, which belongs to another scope. @default it claims each of them */
  readonly leaves?: (runId: string) => boolean
}

type Schedules = ScheduleTableOptions & ScheduleDatabase

/** Opens the schedules of a data directory, which is created if it is missing. Throws `DataDirUnusable`. */
export function openScheduleTable(options: ScheduleTableOptions): ScheduleTable {
  const database = openDatabase(options.dataDir)
  const schedules: Schedules = {
    ...options,
    database,
    databaseIdentity: readDatabaseIdentity(options.dataDir),
  }
  let forgottenAtMs = Number.NEGATIVE_INFINITY
  /** Once a day, even if the clock was set back. */
  const forgetOld = (nowMs: number): void => {
    if (Math.abs(nowMs - forgottenAtMs) < dayMs) return
    forgetFires(database, nowMs - keepFiresMs)
    forgottenAtMs = nowMs
  }
  return {
    declare: (declared, nowMs) =>
      inTransaction(database, () => {
        declareSchedules(database, declared, nowMs)
        forgetOld(nowMs)
      }),
    serve: (ids) => inTransaction(database, () => markServed(database, ids)),
    take: (id, nowMs, given) =>
      inTransaction(database, () => {
        forgetOld(nowMs)
        const row = readSchedule(database, id)
        return row && takeEvaluation(schedules, row, nowMs, given)
      }),
    trigger: (id, nowMs, work, by, shown) =>
      inTransaction(database, () => {
        const row = readSchedule(database, id)
        if (!row) throw new Error(`there is no schedule ${id}`)
        refuseStartedSince(id, lastFires(database, id, 1), shown)
        const result = startScheduled(schedules, row, work, { nowMs, atMs: nowMs })
        if (result.error) throw result.error
        writeFire(database, id, nowMs, { atMs: nowMs, runId: result.runId, startedBy: by })
        return result.runId
      }),
    list: (fires) => listSchedules(database, fires),
    setPause: (id, pause, nowMs, shown) =>
      inTransaction(database, () => {
        refuseChangedPause(`${id} was`, readSchedule(database, id)?.paused ?? readPause(database), shown)
        return writeSchedulePause(database, id, pause, nowMs)
      }),
    remove: (id) => inTransaction(database, () => removeSchedule(database, id)),
    readPause: () => readPause(database),
    close: () => database.close(),
  }
}

/** Decides the times of a schedule up to now, and records the decisions with the runs that it starts. */
function takeEvaluation<T extends ScheduleEvaluation>(
  schedules: Schedules,
  row: ScheduleRow,
  nowMs: number,
  { work, decide }: TakeOptions<T>,
): TakenEvaluation<T> {
  const { database } = schedules
  const { id } = row
  const open = stillOpen(database, row.openRuns)
  const running = open.filter((run) => isActive(schedules, run)).map((run) => run.id)
  const evaluation = decide(memoryOf(database, row, running))
  const started: string[] = []
  for (const { atMs, because, message } of evaluation.fires) {
    if (because === undefined && work !== undefined) {
      const { error, ...result } = startScheduled(schedules, row, work, { nowMs, atMs })
      if (error === undefined && result.runId !== undefined) started.push(result.runId)
      writeFire(database, id, nowMs, { atMs, ...result, message: error?.message })
    } else writeFire(database, id, nowMs, { atMs, because, message })
  }
  for (const runId of evaluation.cancels) cancelForNext(database, runId, nowMs, id)
  writeScheduleState(database, row, { ...evaluation, openRuns: [...open.map((run) => run.id), ...started] })
  notifyMissed(schedules, row, evaluation, nowMs)
  return { evaluation, started }
}

/** A run that no process here starts or resumes does not prevent others from starting. */
function isActive({ dataDir, leaves, continues }: Schedules, { id, isQueued }: OpenRun): boolean {
  return (isQueued && !leaves?.(id)) || isOwned(dataDir, id) || continues?.(id) === true
}

function memoryOf(
  database: DatabaseSyncInstance,
  { id, evaluatedUntilMs, bufferedAtMs, paused }: ScheduleRow,
  running: readonly string[],
): ScheduleMemory {
  return {
    evaluatedUntilMs,
    ...(bufferedAtMs === undefined ? {} : { bufferedAtMs }),
    running,
    isPaused: paused !== undefined || readPause(database) !== undefined,
    isDecided: (atMs) => isTimeDecided(database, id, atMs),
  }
}

function cancelForNext(database: DatabaseSyncInstance, runId: string, nowMs: number, id: string): void {
  const controlRequests = openControlRequestRows(database, runId)
  if (controlRequests.read().some(({ kind }) => kind.startsWith('cancel'))) return
  const comment = `the next run of the schedule ${id} is due`
  controlRequests.add({ kind: 'cancel', by: systemIdentity(), comment }, nowMs)
}

function notifyMissed(
  { database, notices }: Schedules,
  { id, runbook }: ScheduleRow,
  { fires }: ScheduleEvaluation,
  sinceMs: number,
): void {
  const missed = fires.filter(({ because }) => because === 'missed')
  const [first, last] = [missed[0], missed.at(-1)]
  if (first === undefined || last === undefined || notices === undefined) return
  const [from, to] = [first, last].map(({ atMs }) => new Date(atMs).toISOString())
  const which = missed.length === 1 ? `${from} was` : `${missed.length} times from ${from} to ${to} were`
  const message = `the schedule ${id}: ${which} missed; ${last.message}`
  writeNotice(database, { kind: 'schedule_missed', runbook, message, sinceMs }, notices)
}
