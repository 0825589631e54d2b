/** Automatic starts: events, schedules and limits. */
import type { RateReading, RateUse } from '../core/pacing/index.ts'
import type {
  EventDecision,
  EventRecord,
  ScheduleFire,
  SchedulePause,
  ScheduleRecord,
} from '../core/triggers/index.ts'
import { noStartReasons } from '../core/triggers/index.ts'
import type { TriggerPause } from '../engine/index.ts'
import {
  anyObject,
  anything,
  arrayOf,
  flag,
  objectOf,
  oneWord,
  type Schema,
  text,
  time,
  wholeNumber,
  yes,
} from './describe.ts'
import { identitySchema } from './facts.ts'

const pause: Schema<SchedulePause> = objectOf<SchedulePause>({
  'by?': identitySchema,
  'since?': time,
  'comment?': text,
})

/** All automatic starts are paused. */
export const allPausedSchema: Schema<TriggerPause> = objectOf<TriggerPause>({
  by: identitySchema,
  since: time,
  'comment?': text,
})

export const eventSchema: Schema<EventRecord> = objectOf<EventRecord>(
  {
    hook: text,
    event_id: text,
    type: text,
    received_at: time,
    deliveries: wholeNumber,
    starts: arrayOf(
      objectOf<EventDecision>({
        runbook: text,
        trigger: wholeNumber,
        'run_id?': text,
        'because?': oneWord(...noStartReasons),
        'message?': text,
        'details?': anyObject,
      }),
    ),
    'taken?': arrayOf(objectOf<NonNullable<EventRecord['taken']>[number]>({ run_id: text, path: text })),
    'body?': anything,
  },
  'A received event, with the decision for each trigger.',
)

/** Received events: the document of `events --output json`. */
export interface Events {
  readonly events: readonly EventRecord[]
  /** All automatic starts are paused. */
  readonly paused?: TriggerPause
}
export const eventsSchema: Schema<Events> = objectOf<Events>({
  events: arrayOf(eventSchema),
  'paused?': allPausedSchema,
})

/** The document of `schedules --output json`. */
export interface Schedules {
  readonly engine: 'embedded' | 'temporal'
  /** Whether a process executes them now. Left out: the server does. */
  readonly is_served?: boolean
  /** All automatic starts are paused. */
  readonly paused?: TriggerPause
  readonly schedules: readonly ScheduleRecord[]
}
export const schedulesSchema: Schema<Schedules> = objectOf<Schedules>({
  engine: oneWord('embedded', 'temporal'),
  'is_served?': flag,
  'paused?': allPausedSchema,
  schedules: arrayOf(
    objectOf<ScheduleRecord>({
      id: text,
      runbook: text,
      trigger: wholeNumber,
      state: oneWord('active', 'paused', 'missing', 'left', 'broken'),
      'cron?': text,
      'every_ms?': wholeNumber,
      'timezone?': text,
      'overlap?': oneWord('skip', 'buffer-one', 'cancel-other', 'allow-all'),
      'is_served?': flag,
      'paused?': pause,
      'problem?': text,
      next: arrayOf(time),
      last: arrayOf(
        objectOf<ScheduleFire>({
          at: time,
          'run_id?': text,
          'because?': oneWord('missed', 'overlap', 'waits', 'inputs_invalid', 'concurrency'),
          'message?': text,
          'started_by?': identitySchema,
        }),
      ),
      missed: wholeNumber,
      'overlapped?': wholeNumber,
    }),
  ),
})

/** How full the rate windows are. Without `limits`, the counts cannot be read. */
export type Limits = Partial<RateReading>
export const rateLimitsSchema: Schema<Limits> = objectOf<Limits>(
  {
    'limits?': arrayOf(
      objectOf<RateUse>({
        'action?': text,
        'connection?': text,
        windows: arrayOf(
          objectOf<RateUse['windows'][number]>({
            per: oneWord('second', 'minute', 'day'),
            used: wholeNumber,
            limit: wholeNumber,
          }),
        ),
        'free_at?': time,
        'is_throttled?': yes,
      }),
    ),
    'unread?': arrayOf(
      objectOf<NonNullable<RateReading['unread']>[number]>({ 'action?': text, 'connection?': text }),
    ),
  },
  'The calls that count now against limits: of an action, or of a connection of type `http`. `unread`: those whose calls are not known. Without `limits`, none can be read.',
)
