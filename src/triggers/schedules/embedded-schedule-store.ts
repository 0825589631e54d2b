import { RunbookError } from '../../core/run-error.ts'
import { rhythmOf, type ScheduleRecord } from '../../core/triggers/index.ts'
import {
  hasDatabase,
  isServed,
  openScheduleTable,
  type ScheduleTable,
  type StoredSchedule,
} from '../../engine/embedded/index.ts'
import type { ScheduleStore } from '../../engine/index.ts'
import { nextTimes, type Schedule, type ScheduleEntry } from './schedule-entry.ts'

/** What the schedules of a data directory are compared with. */
export interface EmbeddedScheduleOptions {
  readonly dataDir: string
  /** The schedules that runbooks name here. */
  readonly entries: readonly ScheduleEntry[]
}

const shownFires = 10

/** The schedules of a data directory, also without a running `serve`. A database is made only for a write. */
export function openEmbeddedScheduleStore({ dataDir, entries }: EmbeddedScheduleOptions): ScheduleStore {
  let store: ScheduleTable | undefined
  const open = (): ScheduleTable => {
    store ??= openScheduleTable({ dataDir })
    return store
  }
  const look = (): ScheduleTable | undefined => (hasDatabase(dataDir) ? open() : undefined)
  const entryOf = (id: string): ScheduleEntry => {
    const entry = entries.find((one) => one.id === id)
    if (!entry) throw noSchedule(id, dataDir)
    return entry
  }
  return {
    kind: 'embedded',
    location: dataDir,
    async listSchedules() {
      const nowMs = Date.now()
      const stored = look()?.list(shownFires) ?? []
      const isAtWork = isServed(dataDir)
      return stored.map((one) =>
        recordOf(
          { ...one, isServed: one.isServed && isAtWork },
          entries.find(({ id }) => id === one.id),
          nowMs,
        ),
      )
    },
    readAllPause: async () => look()?.readPause(),
    async pause(id, pause, shown) {
      const nowMs = Date.now()
      // A schedule can be paused before any process has run it.
      const named = entries.filter((entry) => entry.id === id)
      if (pause && named.length > 0) open().declare(named.map(declared), nowMs)
      if (!look()?.setPause(id, pause, nowMs, shown)) throw noSchedule(id, dataDir)
    },
    async trigger(id, by, shown) {
      const entry = entryOf(id)
      const { plan, inputs } = entry
      if ('problem' in inputs)
        throw new RunbookError('InvalidInput', `${id}: ${inputs.problem}`, { notSent: true })
      const nowMs = Date.now()
      open().declare([declared(entry)], nowMs)
      return open().trigger(id, nowMs, { plan, inputs: inputs.given }, by, shown)
    },
    async remove(id) {
      const stored = look()
        ?.list(0)
        .find((one) => one.id === id)
      if (stored?.isServed && isServed(dataDir)) throw served(id, dataDir)
      if (!look()?.remove(id)) throw noSchedule(id, dataDir)
    },
    async close() {
      store?.close()
    },
  }
}

type Declared = Pick<StoredSchedule, 'id' | 'runbook' | 'trigger' | 'definition'>

/** A schedule as the database knows it. */
export function declared({ id, plan, trigger, schedule }: ScheduleEntry): Declared {
  return { id, runbook: plan.name, trigger, definition: definitionOf(schedule) }
}

function recordOf(
  { id, runbook, trigger, definition, isServed: isExecuted, paused, last, missed }: StoredSchedule,
  entry: ScheduleEntry | undefined,
  nowMs: number,
): ScheduleRecord {
  const schedule = entry?.schedule ?? readDefinition(definition)
  return {
    id,
    runbook,
    trigger,
    state: paused ? 'paused' : 'active',
    ...(isExecuted ? { is_served: true } : {}),
    ...(paused ? { paused } : {}),
    ...rhythmOf(schedule),
    next: nextTimes(schedule, nowMs),
    last,
    missed,
  }
}

function noSchedule(id: string, dataDir: string): RunbookError {
  return new RunbookError('InvalidInput', `there is no schedule ${id} in ${dataDir}`, {
    notSent: true,
    next: '"opsbook schedules" lists those that are there.',
  })
}

/** A running `serve` would not start the schedule again. */
function served(id: string, dataDir: string): RunbookError {
  return new RunbookError('InvalidInput', `an "opsbook serve" of ${dataDir} runs ${id}`, {
    notSent: true,
    next: `Remove it from its runbook and start serve again, or pause it: "opsbook schedules pause ${id}".`,
  })
}

/**
 * The timing of a schedule as one text: with another text its times start anew. What it starts is no part of
 * it.
 */
function definitionOf({ cron, everyMs, timezone }: Schedule): string {
  return JSON.stringify({ cron, everyMs, timezone })
}

/** The times of a schedule that no runbook names. */
function readDefinition(text: string): Schedule {
  return { type: 'schedule', overlap: 'skip', ...JSON.parse(text) } as Schedule
}
