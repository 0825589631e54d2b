/** The schedules of any engine, as the commands need them. */
import type { Identity } from '../core/events.ts'
import type { SchedulePause, ScheduleRecord } from '../core/triggers/index.ts'
import type { TriggerPause } from './event-store.ts'

/** Reads and controls the schedules of one engine. */
export interface ScheduleStore {
  readonly kind: 'embedded' | 'temporal'
  /** Where they are stored, for people. */
  readonly location: string
  /** In the order of their ids. */
  listSchedules(): Promise<readonly ScheduleRecord[]>
  /** The pause of all automatic starts. Undefined if there is none, or if each schedule reports it. */
  readAllPause(): Promise<TriggerPause | undefined>
  /**
   * Pauses a schedule, or with `undefined` resumes it. `shown`: the `pauseWord` of what the user saw. Rejects with
   * `InvalidInput` if there is no such schedule, or if it stands otherwise.
   */
  pause(id: string, pause: SchedulePause | undefined, shown?: string): Promise<void>
  /**
   * Starts a run of the schedule now, and resolves with the id of the run. `shown`: the `startsWord` of what the user saw.
   * Rejects with `InvalidInput` if there is no such schedule, or if it was started since then.
   */
  trigger(id: string, by: Identity, shown?: string): Promise<string>
  /**
   * Removes a schedule. Applying its runbook again creates it again. Rejects with `InvalidInput` if there is no such
   * schedule.
   */
  remove(id: string): Promise<void>
  close(): Promise<void>
}
