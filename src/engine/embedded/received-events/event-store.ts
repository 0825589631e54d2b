import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { JsonValue } from '../../../core/json.ts'
import { RunbookError } from '../../../core/run-error.ts'
import {
  type DecidedEvent,
  decideEvent,
  type EventEvaluation,
  type EventRecord,
  eventSource,
  type ReachedStartLimit,
  refuseChangedPause,
  rememberedStart,
  splitEventName,
  usualKeepKeysMs,
} from '../../../core/triggers/index.ts'
import { systemClock } from '../../attempt/index.ts'
import type { EventStore } from '../../index.ts'
import type { ComposeNotice } from '../../notices/index.ts'
import { createRunId } from '../../record/index.ts'
import { createCommitQueue } from '../database/commit-queue.ts'
import { inTransaction, openDatabase, readDatabaseIdentity, readVersion } from '../database/database.ts'
import { openToRead } from '../database/open-to-read.ts'
import { writeNotice } from '../notifications/notice-store.ts'
import { enqueueRun } from '../queue/enqueue-run.ts'
import { skipPause } from '../schedules/schedule-rows.ts'
import { type NewRun, readRunStatus } from '../tables/run-rows.ts'
import { type EventRows, openEventRows } from './event-rows.ts'
import { openTriggerRows, readPause, type TriggerRows, writePause } from './trigger-rows.ts'

/** How the events of a data directory are stored. */
export interface EventStoreOptions {
  readonly dataDir: string
  /**
   * How long a dedupe key counts, in milliseconds.
   * @default {@link usualKeepKeysMs}
   */
  readonly keepKeysMs?: number
  /** Name of the default connection of the runs, for their record. */
  readonly connection?: string
  /**
   * Formats the notification that a trigger reached its start limit.
   * @default no notifications
   */
  readonly notices?: ComposeNotice
  /** Called for each reached start limit, after it is on disk. */
  readonly onStartLimit?: (startLimit: ReachedStartLimit) => void
  /** Only reads: the data directory may be one that cannot be written. @default false */
  readonly isReader?: boolean
  /** Called when queued runs are on disk. */
  readonly onStarts?: () => void
  /** Masks secrets in recorded decisions. @default masks nothing */
  readonly mask?: <T extends JsonValue>(value: T) => T
  /** Unix time in milliseconds. */
  readonly now?: () => number
}

/** The events of a data directory. */
export interface EmbeddedEventStore extends EventStore {
  /**
   * Resolves after a write like that of an event. Rejects with `DataDirUnusable` if the data directory cannot be
   * written.
   */
  tryWriting(): Promise<void>
}

/** How long an event waits for a locked database before the sender must retry. */
const maxWaitMs = 2000

interface Recorded {
  readonly event: EventRecord
  readonly hasStarts: boolean
  readonly notifiedStartLimits: readonly ReachedStartLimit[]
}

/** Opens the events of a data directory, which is created if it is missing. Throws `DataDirUnusable`. */
export function openEventStore(options: EventStoreOptions): EmbeddedEventStore {
  const { dataDir, now = systemClock.now } = options
  const database = options.isReader ? openToRead(dataDir) : openDatabase(dataDir)
  database.exec(`PRAGMA busy_timeout = ${maxWaitMs}`)
  const rows = openEventRows(database)
  const memory = openTriggerRows(database, dataDir)
  const queue = createCommitQueue(database)
  const store: OpenStore = {
    options,
    database,
    rows,
    memory,
    databaseIdentity: readDatabaseIdentity(dataDir),
  }
  return {
    async evaluation(evaluation) {
      let done: Recorded | undefined
      await queue.append(() => {
        done = recordEvent(store, evaluation, now())
      })
      if (!done) throw new RunbookError('DataDirUnusable', 'the event was not recorded')
      if (done.hasStarts) options.onStarts?.()
      for (const startLimit of done.notifiedStartLimits) options.onStartLimit?.(startLimit)
      return done.event
    },
    // This changes nothing and still writes a page: an empty transaction would not notice a full disk.
    tryWriting: () => queue.append(() => database.exec(`PRAGMA user_version = ${readVersion(database)}`)),
    previewEvent: async (evaluation) => decide(store, evaluation, now()).decisions,
    listEvents: async (filter = {}) => rows.list(filter),
    async readEvent(id) {
      const named = splitEventName(id)
      return (named && rows.find(named.hook, named.id)) ?? rows.find(undefined, id)
    },
    async hasEnded(runId) {
      const status = readRunStatus(database, runId)
      return status === undefined || status === 'succeeded' || status === 'cancelled'
    },
    readPause: async () => readPause(database),
    setPause: async (pause, shown) =>
      inTransaction(database, () => {
        const before = readPause(database)
        refuseChangedPause('automatic starts were', before, shown)
        writePause(database, pause && (before ?? pause))
        if (before && !pause) skipPause(database, now())
        return before
      }),
    async close() {
      queue.flush()
      queue.close()
      database.close()
    },
  }
}

interface OpenStore {
  readonly options: EventStoreOptions
  readonly database: DatabaseSyncInstance
  readonly rows: EventRows
  readonly memory: TriggerRows
  readonly databaseIdentity: NewRun['databaseIdentity']
}

/** What an event starts, as of now. */
function decide({ options, memory }: OpenStore, evaluation: EventEvaluation, nowMs: number): DecidedEvent {
  const { keepKeysMs = usualKeepKeysMs, mask = (value) => value } = options
  const time = { nowMs, now: new Date(nowMs).toISOString() }
  const createId = (): string => createRunId(new Date(nowMs))
  const decided = decideEvent(evaluation, memory, { ...time, keepKeysMs, createRunId: createId })
  // Messages contain dedupe keys.
  const decisions = decided.decisions.map(({ message, details, ...decision }) => ({
    ...decision,
    ...(message === undefined ? {} : { message: mask(message) }),
    ...(details === undefined ? {} : { details: mask(details) }),
  }))
  return { ...decided, decisions }
}

/** Records an event with the decisions about it, and queues the runs that it starts; to be called in a transaction. */
function recordEvent(store: OpenStore, evaluation: EventEvaluation, nowMs: number): Recorded {
  const { options, database, rows, memory } = store
  const { event } = evaluation
  const known = rows.countAgain(event.hook, event.id)
  if (known) return { event: known, hasStarts: false, notifiedStartLimits: [] }
  const { decisions, starts, startLimits } = decide(store, evaluation, nowMs)
  for (const start of starts) queueStart(store, event, start, nowMs)
  const notifiedStartLimits = startLimits.filter(({ isToTell }) => isToTell)
  for (const startLimit of notifiedStartLimits) {
    memory.rememberNotified(startLimit, nowMs)
    const { runbook, message } = startLimit
    const notice = { kind: 'start_limit_reached', runbook, message, sinceMs: nowMs } as const
    if (options.notices) writeNotice(database, notice, options.notices)
  }
  return { event: rows.insert(event, decisions), hasStarts: starts.length > 0, notifiedStartLimits }
}

function queueStart(
  { options, database, memory, databaseIdentity }: OpenStore,
  event: EventEvaluation['event'],
  start: DecidedEvent['starts'][number],
  nowMs: number,
): void {
  const { runId, candidate, concurrencyKey } = start
  const { trigger, plan, inputs } = candidate
  const run: NewRun = {
    id: runId,
    plan,
    inputs,
    startedAtMs: nowMs,
    databaseIdentity,
    startedFrom: eventSource(event, trigger),
    ...(options.connection === undefined ? {} : { connection: options.connection }),
  }
  enqueueRun(database, run, concurrencyKey)
  memory.remember(rememberedStart(start, nowMs))
}
