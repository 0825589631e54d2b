import type { JsonValue } from '../../../core/json.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { decideOffer, type ReachedStartLimit } from '../../../core/triggers/decide-offer.ts'
import type { EventRecord } from '../../../core/triggers/event-record.ts'
import type { Offer } from '../../../core/triggers/offer.ts'
import type { EventBook, TriggerPause } from '../../event-book.ts'
import type { ComposeNotice } from '../../record/notice.ts'
import { createRunId } from '../../record/run-id.ts'
import { createCommitQueue } from '../commit-queue.ts'
import { openDatabase, readVersion } from '../database.ts'
import { fileNumber } from '../file-number.ts'
import { inTransaction } from '../in-transaction.ts'
import { writeNotice } from '../notices.ts'
import { recordWaiting } from '../record-waiting.ts'
import type { NewRun } from '../run-rows.ts'
import { leaveOutPause } from '../schedules/schedule-rows.ts'
import { openEventRows } from './event-rows.ts'
import { openMemoryRows } from './memory-rows.ts'
import { readPause, writePause } from './pause-row.ts'

/** What the events of a data directory are kept with. */
export interface EventBookOptions {
  readonly dataDir: string
  /**
   * How long a dedupe key is remembered, in milliseconds.
   * @default 7 days
   */
  readonly keepKeysMs?: number
  /** Name of the connection of runs whose steps name none, for the record. */
  readonly connection?: string
  /**
   * Makes what people outside are to be told of into messages: that a trigger has more events than it may start runs.
   * @default nobody is told
   */
  readonly notices?: ComposeNotice
  /** Told of the same, once it is on disk. */
  readonly onStartLimit?: (startLimit: ReachedStartLimit) => void
  /** Told once runs that wait to be taken up are on disk. */
  readonly onStarts?: () => void
  /** Takes known secrets out of what is recorded of decisions. @default nothing */
  readonly mask?: <T extends JsonValue>(value: T) => T
  /** Unix time in milliseconds. */
  readonly now?: () => number
}

/** The events of a data directory. */
export interface EmbeddedEventBook extends EventBook {
  /** Resolves when something has been written as an event would be. Rejects with `DataDirUnusable` where that cannot be. */
  tryWriting(): Promise<void>
}

const weekMs = 604_800_000

/** How long the database may be held by others before the sender is asked to come again. */
const patienceMs = 2000

interface Recorded {
  readonly event: EventRecord
  readonly hasStarts: boolean
  readonly notifiedStartLimits: readonly ReachedStartLimit[]
}

/** The events of a data directory, which is made where it is missing. Throws `DataDirUnusable`. */
export function openEventBook(options: EventBookOptions): EmbeddedEventBook {
  const { dataDir, keepKeysMs = weekMs, now = Date.now, mask = (value) => value } = options
  const database = openDatabase(dataDir)
  database.exec(`PRAGMA busy_timeout = ${patienceMs}`)
  const rows = openEventRows(database)
  const memory = openMemoryRows(database, dataDir)
  const queue = createCommitQueue(database)
  const file = fileNumber(dataDir)

  const decide = (offer: Offer) => {
    const nowMs = now()
    const createId = (): string => createRunId(new Date(nowMs))
    const time = { nowMs, now: new Date(nowMs).toISOString() }
    const decided = decideOffer(offer, memory, { ...time, keepKeysMs, createRunId: createId })
    // Keys stand in messages.
    const decisions = decided.decisions.map(({ message, details, ...decision }) => ({
      ...decision,
      ...(message === undefined ? {} : { message: mask(message) }),
      ...(details === undefined ? {} : { details: mask(details) }),
    }))
    return { nowMs, ...decided, decisions }
  }
  const record = (offer: Offer): Recorded => {
    const { event } = offer
    const known = rows.countAgain(event.hook, event.id)
    if (known) return { event: known, hasStarts: false, notifiedStartLimits: [] }
    const { nowMs, decisions, starts, startLimits } = decide(offer)
    for (const { runId, candidate, concurrencyKey } of starts) {
      const { runbook, trigger, plan, inputs, dedupeKey, cooldown } = candidate
      const run: NewRun = {
        id: runId,
        plan,
        inputs,
        startedAtMs: nowMs,
        fileNumber: file,
        startedFrom: { kind: 'event', hook: event.hook, event_id: event.id, trigger },
        ...(options.connection === undefined ? {} : { connection: options.connection }),
      }
      recordWaiting(database, dataDir, run, concurrencyKey)
      memory.remember({
        runbook,
        trigger,
        atMs: nowMs,
        runId,
        ...(dedupeKey === undefined ? {} : { dedupeKey }),
        ...(cooldown?.key === undefined ? {} : { cooldownKey: cooldown.key }),
      })
    }
    const notifiedStartLimits = startLimits.filter(({ isToTell }) => isToTell)
    for (const startLimit of notifiedStartLimits) {
      memory.rememberTold(startLimit, nowMs)
      const { runbook, message } = startLimit
      if (options.notices)
        writeNotice(
          database,
          { kind: 'start_limit_reached', runbook, message, sinceMs: nowMs },
          options.notices,
        )
    }
    return { event: rows.insert(event, decisions), hasStarts: starts.length > 0, notifiedStartLimits }
  }
  return {
    async offer(offer) {
      let done: Recorded | undefined
      await queue.append(() => {
        done = record(offer)
      })
      if (!done) throw new RunbookError('DataDirUnusable', 'the event was not recorded')
      if (done.hasStarts) options.onStarts?.()
      for (const startLimit of done.notifiedStartLimits) options.onStartLimit?.(startLimit)
      return done.event
    },
    // What changes nothing is a page on disk all the same: a transaction without one knows nothing of a disk that is full.
    tryWriting: () => queue.append(() => database.exec(`PRAGMA user_version = ${readVersion(database)}`)),
    previewOffer: async (offer) => decide(offer).decisions,
    listEvents: async (filter = {}) => rows.list(filter),
    async readEvent(id) {
      const slash = id.indexOf('/')
      const found = slash < 0 ? undefined : rows.find(id.slice(0, slash), id.slice(slash + 1))
      return found ?? rows.find(undefined, id)
    },
    readPause: async () => readPause(database),
    setPause: async (pause: TriggerPause | undefined) =>
      inTransaction(database, () => {
        const before = readPause(database)
        writePause(database, pause)
        if (before && !pause) leaveOutPause(database, now())
        return before
      }),
    async close() {
      queue.flush()
      await queue.close()
      database.close()
    },
  }
}
