import type { ScheduleRecord } from '../../core/triggers/index.ts'
import type { Schedules } from '../../documents/index.ts'
import { isServed } from '../../engine/embedded/index.ts'
import type { TriggerPause } from '../../engine/index.ts'
import { isSameName } from '../../project/runbook-files/index.ts'
import { compareEntries } from '../../triggers/schedules/index.ts'
import type { OpenSchedules } from './open-schedules.ts'

/** Compares the schedules of the engine with those of the runbooks here. */
export async function readSchedules({ book, entries, notValid, dataDir }: OpenSchedules): Promise<Schedules> {
  const records = await book.listSchedules()
  // An invalid runbook may have any schedule of its name.
  const isUnsure = (runbook: string) => notValid.some((name) => isSameName(name, runbook))
  const all = compareEntries(records, entries, Date.now(), isUnsure)
  const pause = await book.readAllPause()
  return {
    engine: book.kind,
    ...(book.kind === 'embedded' ? { is_served: isServed(dataDir) } : {}),
    ...(pause ? { paused: pause } : {}),
    schedules: pause ? all.map((record) => withPause(record, pause)) : all,
  }
}

/** Shows an active schedule as paused while all starts are paused. */
function withPause(record: ScheduleRecord, paused: TriggerPause): ScheduleRecord {
  return record.state === 'active' ? { ...record, state: 'paused', paused } : record
}
