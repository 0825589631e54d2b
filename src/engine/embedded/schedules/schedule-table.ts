import type { Identity } from '../../../core/events.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Plan } from '../../../core/plan/index.ts'
import { concurrencyConflict } from '../../../core/record/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import {
  type NoFireReason,
  refuseChangedPause,
  refuseStartedSince,
  type SchedulePause,
} from '../../../core/triggers/index.ts'
import type { TriggerPause } from '../../index.ts'
import { type ComposeNotice, createRunId, systemIdentity } from '../../record/index.ts'
import { findKeyHolder } from '../concurrency/key-rows.ts'
import { inTransaction, openDatabase, readDatabaseIdentity } from '../database/database.ts'
import { writeNotice } from '../notifications/notice-store.ts'
import { enqueueRun } from '../queue/enqueue-run.ts'
import { readPause } from '../received-events/trigger-rows.ts'
import { concurrencyOfRun } from '../run/find-existing-run.ts'
import { isOwned } from '../run/ownership.ts'
import { openControlRequestRows } from '../tables/control-request-rows.ts'
import type { NewRun } from '../tables/run-rows.ts'
import {
  type DeclaredSchedule,
  type OpenRun,
  openScheduleRows,
  type ScheduleRow,
  type StoredSchedule,
} from './schedule-rows.ts'

/** What a schedule starts. */
export interface ScheduledWork {
  readonly plan: Plan
  /** Checked, defaults filled in. */
  readonly inputs: JsonObject
  /** Name of the default connection, for the record. */
  readonly connection?: string
}

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
export interface ScheduleTurn {
  readonly fires: readonly TurnFire[]
  readonly evaluatedUntilMs: number
  readonly bufferedAtMs?: number
  /** The runs to cancel first. */
  readonly cancels: readonly string[]
}

/** The decision about one time. Without a reason: a run is started. */
export interface TurnFire {
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
  take<T extends ScheduleTurn>(id: string, nowMs: number, given: TakeOptions<T>): TakenTurn<T> | undefined
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
export interface TakeOptions<T extends ScheduleTurn> {
  readonly work?: ScheduledWork
  readonly decide: (memory: ScheduleMemory) => T
}

/** An evaluation that is on disk. */
export interface TakenTurn<T extends ScheduleTurn> {
  readonly turn: T
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

/** Opens the schedules of a data directory, which is created if it is missing. Throws `DataDirUnusable`. */
export function openScheduleTable({
  dataDir,
  notices,
  continues = () => false,
  leaves = () => false,
}: ScheduleTableOptions): ScheduleTable {
  const database = openDatabase(dataDir)
  const rows = openScheduleRows(database)
  const databaseIdentity = readDatabaseIdentity(dataDir)

  const runOf = (row: ScheduleRow, { plan, inputs, connection }: ScheduledWork, at: StartedAt): NewRun => ({
    id: createRunId(new Date(at.nowMs)),
    plan,
    inputs,
    startedAtMs: at.nowMs,
    databaseIdentity,
    startedFrom: {
      kind: 'schedule',
      schedule: row.id,
      at: new Date(at.atMs).toISOString(),
      trigger: row.trigger,
    },
    ...(connection === undefined ? {} : { connection }),
  })

  const start = (run: NewRun): StartResult => {
    const { id: runId, plan } = run
    try {
      const concurrency = concurrencyOfRun(run)
      const refuses = concurrency?.onConflict === 'skip' || concurrency?.onConflict === 'reject'
      const holder = refuses && findKeyHolder(database, { dataDir, runbook: plan.name, ...concurrency })
      if (holder) {
        const error = concurrencyConflict(holder, plan.name, concurrency.key)
        return { runId: holder, because: 'concurrency', error }
      }
      enqueueRun(database, run, concurrency?.key)
      return { runId }
    } catch (error) {
      if (!RunbookError.is(error) || error.code !== 'InvalidInput') throw error
      return { because: 'inputs_invalid', error }
    }
  }

  /** A run that no process here starts or resumes does not prevent others from starting. */
  const isActive = ({ id, isQueued }: OpenRun): boolean =>
    (isQueued && !leaves(id)) || isOwned(dataDir, id) || continues(id)

  const memoryOf = (row: ScheduleRow, running: readonly string[]): ScheduleMemory => ({
    evaluatedUntilMs: row.evaluatedUntilMs,
    ...(row.bufferedAtMs === undefined ? {} : { bufferedAtMs: row.bufferedAtMs }),
    running,
    isPaused: row.paused !== undefined || readPause(database) !== undefined,
    isDecided: (atMs) => rows.isDecided(row.id, atMs),
  })

  const cancel = (runId: string, nowMs: number, id: string): void => {
    const controlRequests = openControlRequestRows(database, runId)
    const isWanted = controlRequests.read().some(({ kind }) => kind.startsWith('cancel'))
    if (!isWanted) {
      const comment = `the next run of the schedule ${id} is due`
      controlRequests.add({ kind: 'cancel', by: systemIdentity(), comment }, nowMs)
    }
  }

  const notifyMissed = ({ id, runbook }: ScheduleRow, { fires }: ScheduleTurn, sinceMs: number): void => {
    const missed = fires.filter(({ because }) => because === 'missed')
    const [first, last] = [missed[0], missed.at(-1)]
    if (first === undefined || last === undefined || notices === undefined) return
    const [from, to] = [first, last].map(({ atMs }) => new Date(atMs).toISOString())
    const which = missed.length === 1 ? `${from} was` : `${missed.length} times from ${from} to ${to} were`
    const message = `the schedule ${id}: ${which} missed; ${last.message}`
    writeNotice(database, { kind: 'schedule_missed', runbook, message, sinceMs }, notices)
  }

  let forgottenAtMs = Number.NEGATIVE_INFINITY
  /** Once a day, even if the clock was set back. */
  const forgetOld = (nowMs: number): void => {
    if (Math.abs(nowMs - forgottenAtMs) < dayMs) return
    rows.forgetFires(nowMs - keepFiresMs)
    forgottenAtMs = nowMs
  }

  return {
    declare(schedules, nowMs) {
      inTransaction(database, () => {
        rows.declare(schedules, nowMs)
        forgetOld(nowMs)
      })
    },
    serve: (ids) => inTransaction(database, () => rows.serve(ids)),
    take(id, nowMs, { work, decide }) {
      return inTransaction(database, () => {
        forgetOld(nowMs)
        const row = rows.read(id)
        if (!row) return undefined
        const open = rows.stillOpen(row.openRuns)
        const running = open.filter(isActive).map((run) => run.id)
        const turn = decide(memoryOf(row, running))
        const started: string[] = []
        for (const { atMs, because, message } of turn.fires) {
          if (because === undefined && work !== undefined) {
            const { error, ...result } = start(runOf(row, work, { nowMs, atMs }))
            if (error === undefined && result.runId !== undefined) started.push(result.runId)
            rows.writeFire(id, nowMs, { atMs, ...result, ...(error ? { message: error.message } : {}) })
          } else
            rows.writeFire(id, nowMs, {
              atMs,
              ...(because === undefined ? {} : { because }),
              ...(message === undefined ? {} : { message }),
            })
        }
        for (const runId of turn.cancels) cancel(runId, nowMs, id)
        rows.writeState(id, { ...turn, openRuns: [...open.map((run) => run.id), ...started] }, row)
        notifyMissed(row, turn, nowMs)
        return { turn, started }
      })
    },
    trigger(id, nowMs, work, by, shown) {
      return inTransaction(database, () => {
        const row = rows.read(id)
        if (!row) throw new Error(`there is no schedule ${id}`)
        refuseStartedSince(id, rows.lastFires(id, 1), shown)
        const result = start(runOf(row, work, { nowMs, atMs: nowMs }))
        if (result.error) throw result.error
        const { runId } = result
        rows.writeFire(id, nowMs, { atMs: nowMs, runId, startedBy: by })
        return runId
      })
    },
    list: (fires) => rows.list(fires),
    setPause: (id, pause, nowMs, shown) =>
      inTransaction(database, () => {
        refuseChangedPause(`${id} was`, rows.read(id)?.paused ?? readPause(database), shown)
        return rows.writePause(id, pause, nowMs)
      }),
    remove: (id) => inTransaction(database, () => rows.remove(id)),
    readPause: () => readPause(database),
    close: () => database.close(),
  }
}

/** The recorded run, or the reason why there is none. */
type StartResult =
  | { readonly runId: string; readonly error?: undefined }
  | { readonly runId?: string; readonly because: NoFireReason; readonly error: RunbookError }

interface StartedAt {
  readonly nowMs: number
  readonly atMs: number
}
