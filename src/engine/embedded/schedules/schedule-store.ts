import { concurrencyConflict } from '../../../core/concurrency-key.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Plan } from '../../../core/plan.ts'
import type { Identity } from '../../../core/record/identity.ts'
import { RunbookError } from '../../../core/run-error.ts'
import type { NoFireReason, ScheduleFire, SchedulePause } from '../../../core/triggers/schedule-record.ts'
import type { TriggerPause } from '../../event-book.ts'
import type { ComposeNotice } from '../../record/notice.ts'
import { createRunId } from '../../record/run-id.ts'
import { systemIdentity } from '../../record/system-user.ts'
import { findKeyHolder } from '../concurrency/key-rows.ts'
import { openControlRequestRows } from '../control-request-rows.ts'
import { openDatabase } from '../database.ts'
import { readPause } from '../events/pause-row.ts'
import { fileNumber } from '../file-number.ts'
import { inTransaction } from '../in-transaction.ts'
import { concurrencyOfRun } from '../meet-run.ts'
import { writeNotice } from '../notices.ts'
import { isOwned } from '../ownership.ts'
import { recordWaiting } from '../record-waiting.ts'
import type { NewRun } from '../run-rows.ts'
import { type OpenRun, openScheduleRows, type ScheduleRow } from './schedule-rows.ts'

/** A schedule that is to be carried out here. */
export interface DeclaredSchedule {
  readonly id: string
  readonly runbook: string
  /** Place of the trigger in the list of its runbook. */
  readonly trigger: number
  /** When it starts: with another text its times begin anew. */
  readonly definition: string
}

/** What a schedule starts. */
export interface ScheduledWork {
  readonly plan: Plan
  /** Checked, defaults filled in. */
  readonly inputs: JsonObject
  /** Name of the default connection, for the record. */
  readonly connection?: string
}

/** What deciding about a schedule takes. */
export interface ScheduleMemory {
  /** Unix time in milliseconds: times up to this one have been looked at. */
  readonly lookedUntilMs: number
  /** A time that waits for the end of the run before it. */
  readonly bufferedAtMs?: number
  /** Its runs that go on. */
  readonly running: readonly string[]
  /** A person has paused it, or everything that starts by itself. */
  readonly isPaused: boolean
  /** Whether that time needs no deciding any more: it was not just missed. */
  isDecided(atMs: number): boolean
}

/** What is decided about a schedule at one moment: all of it is recorded, or nothing. */
export interface ScheduleTurn {
  readonly fires: readonly TurnFire[]
  readonly lookedUntilMs: number
  readonly bufferedAtMs?: number
  /** Runs that are to make room. */
  readonly cancels: readonly string[]
}

/** What becomes of one time. Without a reason: a run is started. */
export interface TurnFire {
  readonly atMs: number
  readonly because?: NoFireReason
  readonly message?: string
}

/** A schedule as the database has it. */
export interface StoredSchedule extends DeclaredSchedule {
  readonly paused?: SchedulePause
  /** Whoever serves the data directory carries it out. */
  readonly isServed: boolean
  readonly last: readonly ScheduleFire[]
  readonly missed: number
}

/** The schedules of a data directory. Several processes may have it open: each time is decided once. */
export interface ScheduleStore {
  /** These are to be carried out from now on. Others stay: another process may carry them out. */
  declare(schedules: readonly DeclaredSchedule[], nowMs: number): void
  /** To be called by whoever holds the lock of `serve`: these, and no others, are carried out by it. */
  serve(ids: readonly string[]): void
  /**
   * Decides what is due of a schedule, and records it together with the runs that it starts, which wait to be taken up.
   * Answers with their ids. A schedule that is not there any more starts nothing.
   */
  take<T extends ScheduleTurn>(id: string, nowMs: number, given: TakeOptions<T>): TakenTurn<T> | undefined
  /**
   * Starts a run now, whatever the times say, and answers with its id. It keeps none of them from starting. Throws
   * `ConcurrencyConflict` where another run goes on for its concurrency key.
   */
  trigger(id: string, nowMs: number, work: ScheduledWork, by: Identity): string
  /** In the order of their ids. */
  list(fires: number): readonly StoredSchedule[]
  /** Lets it start nothing, or with `undefined` start again, from its next time on. False: there is no such schedule. */
  setPause(id: string, pause: SchedulePause | undefined, nowMs: number): boolean
  /** Forgets it and what came of its times. False: there is no such schedule. */
  remove(id: string): boolean
  /** Whether a person has stopped all starting, and who. */
  readPause(): TriggerPause | undefined
  close(): void
}

/** What {@link ScheduleStore.take} is given. */
export interface TakeOptions<T extends ScheduleTurn> {
  readonly work?: ScheduledWork
  readonly decide: (memory: ScheduleMemory) => T
}

/** A turn that is on disk. */
export interface TakenTurn<T extends ScheduleTurn> {
  readonly turn: T
  readonly started: readonly string[]
}

const dayMs = 86_400_000

/** So long is kept what came of times. */
const keepFiresMs = 90 * dayMs

/** What the schedules of a data directory are opened with. */
export interface ScheduleStoreOptions {
  readonly dataDir: string
  /** Makes what people are told of times that were missed. @default nobody is told */
  readonly notices?: ComposeNotice
  /** Whether this process goes on with a run that was interrupted, or whose process died. @default with none */
  readonly continues?: (runId: string) => boolean
  /** Whether this process never begins a run that is queued: it belongs elsewhere. @default it begins each of them */
  readonly leaves?: (runId: string) => boolean
}

/** Opens the schedules of a data directory, which is made where it is missing. Throws `DataDirUnusable`. */
export function openScheduleStore({
  dataDir,
  notices,
  continues = () => false,
  leaves = () => false,
}: ScheduleStoreOptions): ScheduleStore {
  const database = openDatabase(dataDir)
  const rows = openScheduleRows(database)
  const file = fileNumber(dataDir)

  const runOf = (row: ScheduleRow, { plan, inputs, connection }: ScheduledWork, at: StartedAt): NewRun => ({
    id: createRunId(new Date(at.nowMs)),
    plan,
    inputs,
    startedAtMs: at.nowMs,
    fileNumber: file,
    startedFrom: {
      kind: 'schedule',
      schedule: row.id,
      at: new Date(at.atMs).toISOString(),
      trigger: row.trigger,
    },
    ...(connection === undefined ? {} : { connection }),
  })

  const begin = (run: NewRun): Begun => {
    const { id: runId, plan } = run
    try {
      const concurrency = concurrencyOfRun(run)
      const place = concurrency && { dataDir, runbook: plan.name, key: concurrency.key }
      const holder = place && findKeyHolder(database, place)
      if (holder && concurrency.onConflict !== 'replace') {
        const error = concurrencyConflict(holder.runId, plan.name, concurrency.key)
        return { runId: holder.runId, because: 'concurrency', error }
      }
      recordWaiting(database, dataDir, run, concurrency?.key)
      return { runId }
    } catch (error) {
      if (!RunbookError.is(error) || error.code !== 'InvalidInput') throw error
      return { because: 'inputs_invalid', error }
    }
  }

  /** A run that no process here begins or continues keeps no other from starting. */
  const isGoingOn = ({ id, isWaiting }: OpenRun): boolean =>
    (isWaiting && !leaves(id)) || isOwned(dataDir, id) || continues(id)

  const memoryOf = (row: ScheduleRow, running: readonly string[]): ScheduleMemory => ({
    lookedUntilMs: row.lookedUntilMs,
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

  const tellMissed = ({ id, runbook }: ScheduleRow, { fires }: ScheduleTurn, sinceMs: number): void => {
    const missed = fires.filter(({ because }) => because === 'missed')
    const [first, last] = [missed[0], missed.at(-1)]
    if (first === undefined || last === undefined || notices === undefined) return
    const [from, to] = [first, last].map(({ atMs }) => new Date(atMs).toISOString())
    const which = missed.length === 1 ? `${from} was` : `${missed.length} times from ${from} to ${to} were`
    const message = `the schedule ${id}: ${which} missed; ${last.message}`
    writeNotice(database, { kind: 'schedule_missed', runbook, message, sinceMs }, notices)
  }

  let forgottenAtMs = Number.NEGATIVE_INFINITY
  /** Once a day, also by a clock that was set back. */
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
        const running = open.filter(isGoingOn).map((run) => run.id)
        const turn = decide(memoryOf(row, running))
        const started: string[] = []
        for (const { atMs, because, message } of turn.fires) {
          if (because === undefined && work !== undefined) {
            const begun = begin(runOf(row, work, { nowMs, atMs }))
            if (begun.error === undefined) started.push(begun.runId)
            const { error, ...came } = begun
            rows.writeFire(id, nowMs, { atMs, ...came, ...(error ? { message: error.message } : {}) })
          } else
            rows.writeFire(id, nowMs, {
              atMs,
              ...(because === undefined ? {} : { because }),
              ...(message === undefined ? {} : { message }),
            })
        }
        for (const runId of turn.cancels) cancel(runId, nowMs, id)
        rows.writeState(id, { ...turn, openRuns: [...open.map((run) => run.id), ...started] }, row)
        tellMissed(row, turn, nowMs)
        return { turn, started }
      })
    },
    trigger(id, nowMs, work, by) {
      return inTransaction(database, () => {
        const row = rows.read(id)
        if (!row) throw new Error(`there is no schedule ${id}`)
        const begun = begin(runOf(row, work, { nowMs, atMs: nowMs }))
        if (begun.error) throw begun.error
        const { runId } = begun
        rows.writeFire(id, nowMs, { atMs: nowMs, runId, startedBy: by })
        return runId
      })
    },
    list: (fires) => rows.list(fires),
    setPause: (id, pause, nowMs) => inTransaction(database, () => rows.writePause(id, pause, nowMs)),
    remove: (id) => inTransaction(database, () => rows.remove(id)),
    readPause: () => readPause(database),
    close: () => database.close(),
  }
}

/** A run that is on record, or why none is. */
type Begun =
  | { readonly runId: string; readonly error?: undefined }
  | { readonly runId?: string; readonly because: NoFireReason; readonly error: RunbookError }

interface StartedAt {
  readonly nowMs: number
  readonly atMs: number
}
