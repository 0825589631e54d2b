/** The schedules of one engine, whichever it is, as commands need them. */
import type { Identity } from '../core/record/identity.ts'
import type { SchedulePause, ScheduleRecord } from '../core/triggers/schedule-record.ts'
import type { TriggerPause } from './event-book.ts'

/** What is known of schedules where they are carried out. */
export interface ScheduleBook {
  readonly kind: 'embedded' | 'temporal'
  /** Where they are, for people. */
  readonly place: string
  /** In the order of their ids. */
  listSchedules(): Promise<readonly ScheduleRecord[]>
  /** Whether a person has stopped all starting, where that is not told of each schedule. */
  readAllPause(): Promise<TriggerPause | undefined>
  /** Lets a schedule start nothing, or with `undefined` start again. Rejects with `InvalidInput` where there is none. */
  pause(id: string, pause: SchedulePause | undefined): Promise<void>
  /** Starts a run of it now, and resolves with the id of the run. Rejects with `InvalidInput` where there is none. */
  trigger(id: string, by: Identity): Promise<string>
  /** Forgets it, as long as nobody applies the runbook that names it. Rejects with `InvalidInput` where there is none. */
  remove(id: string): Promise<void>
  close(): Promise<void>
}
