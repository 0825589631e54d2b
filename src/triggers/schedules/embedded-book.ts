import { RunbookError } from '../../core/run-error.ts'
import { rhythmOf } from '../../core/triggers/rhythm-of.ts'
import type { ScheduleRecord } from '../../core/triggers/schedule-record.ts'
import { hasDatabase } from '../../engine/embedded/database.ts'
import { openScheduleStore, type ScheduleStore, type StoredSchedule } from '../../engine/embedded/index.ts'
import { isServed } from '../../engine/embedded/serve-lock.ts'
import type { ScheduleBook } from '../../engine/schedule-book.ts'
import { nextTimes } from './compare-entries.ts'
import { definitionOf, readDefinition } from './definition.ts'
import type { ScheduleEntry } from './schedule-entry.ts'

/** What the schedules of a data directory are looked at with. */
export interface EmbeddedBookOptions {
  readonly dataDir: string
  /** Those that runbooks name here. */
  readonly entries: readonly ScheduleEntry[]
}

const shownFires = 10

/** The schedules of a data directory, whether anybody carries them out now or not. It is made only to write something. */
export function openEmbeddedBook({ dataDir, entries }: EmbeddedBookOptions): ScheduleBook {
  let store: ScheduleStore | undefined
  const open = (): ScheduleStore => {
    store ??= openScheduleStore({ dataDir })
    return store
  }
  const look = (): ScheduleStore | undefined => (hasDatabase(dataDir) ? open() : undefined)
  const entryOf = (id: string): ScheduleEntry => {
    const entry = entries.find((one) => one.id === id)
    if (!entry) throw noSchedule(id, dataDir)
    return entry
  }
  return {
    kind: 'embedded',
    place: dataDir,
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
    async pause(id, pause) {
      const nowMs = Date.now()
      // One that nobody has carried out yet can be paused before anybody does.
      const named = entries.filter((entry) => entry.id === id)
      if (pause && named.length > 0) open().declare(named.map(declared), nowMs)
      if (!look()?.setPause(id, pause, nowMs)) throw noSchedule(id, dataDir)
    },
    async trigger(id, by) {
      const entry = entryOf(id)
      const { plan, inputs } = entry
      if ('problem' in inputs)
        throw new RunbookError('InvalidInput', `${id}: ${inputs.problem}`, { notSent: true })
      const nowMs = Date.now()
      open().declare([declared(entry)], nowMs)
      return open().trigger(id, nowMs, { plan, inputs: inputs.given }, by)
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

/** A schedule as the database has it. */
export function declared({ id, plan, trigger, schedule }: ScheduleEntry): {
  readonly id: string
  readonly runbook: string
  readonly trigger: number
  readonly definition: string
} {
  return { id, runbook: plan.name, trigger, definition: definitionOf(schedule) }
}

function recordOf(
  { id, runbook, trigger, definition, isServed: isCarriedOut, paused, last, missed }: StoredSchedule,
  entry: ScheduleEntry | undefined,
  nowMs: number,
): ScheduleRecord {
  const schedule = entry?.schedule ?? readDefinition(definition)
  const next = nextTimes(schedule, nowMs)
  return {
    id,
    runbook,
    trigger,
    state: paused ? 'paused' : next.length === 0 ? 'ended' : 'active',
    ...(isCarriedOut ? { is_served: true } : {}),
    ...(paused ? { paused } : {}),
    ...rhythmOf(schedule),
    next,
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

/** Forgotten, it would not be started again, and whoever serves would not know. */
function served(id: string, dataDir: string): RunbookError {
  return new RunbookError('InvalidInput', `an "opsbook serve" that works in ${dataDir} carries ${id} out`, {
    notSent: true,
    next: `Remove it from its runbook and start serve again, or pause it: "opsbook schedules pause ${id}".`,
  })
}
