/** What came of an act. */

import type { Identity } from '../core/events.ts'
import type { RecordedAnswer } from '../core/people/index.ts'
import { type ControlKind, type RecordedStatus, recordedStatuses } from '../core/record/index.ts'
import type { TriggerPause } from '../engine/index.ts'
import { allPausedSchema } from './automatic.ts'
import {
  anyObject,
  arrayOf,
  flag,
  objectOf,
  oneWord,
  partly,
  type Schema,
  text,
  unionOf,
  wholeNumber,
} from './describe.ts'
import { identitySchema } from './facts.ts'
import type { PlanDocument } from './plan.ts'

export interface Answered {
  readonly run_id: string
  readonly status: RecordedStatus
  readonly answers: readonly RecordedAnswer[]
}
export const answeredSchema: Schema<Answered> = objectOf<Answered>(
  {
    run_id: text,
    status: oneWord(...recordedStatuses),
    answers: arrayOf(
      objectOf<RecordedAnswer>({
        step: text,
        kind: oneWord('counted', 'settled'),
        by: identitySchema,
        count: wholeNumber,
        needed: wholeNumber,
      }),
    ),
  },
  'What an answer did to each question. `status`: of the run; an interrupted one continues once it is resumed.',
)

export interface Controlled {
  readonly run_id: string
  readonly kind: ControlKind
  readonly by: Identity
}
export const controlledSchema: Schema<Controlled> = objectOf<Controlled>(
  { run_id: text, kind: oneWord('cancel', 'cancel-now', 'pause', 'unpause'), by: identitySchema },
  'The process that executes the run has the request.',
)

/** A preview of a run, and the word that names it. */
export interface Planned {
  readonly shown: string
  readonly plan: PlanDocument
}
export const plannedSchema: Schema<Planned> = objectOf<Planned>(
  {
    shown: text,
    plan: partly({
      ...objectOf<Pick<PlanDocument, 'runbook' | 'totals'>>({ runbook: text, totals: partly(anyObject) }),
      additionalProperties: true,
    }),
  },
  'The document of `opsbook plan --output json`, and the word that names it.',
)

export interface Started {
  readonly run_id: string
  readonly is_joined: boolean
  readonly notes?: readonly string[]
}
export const startedSchema: Schema<Started> = objectOf<Started>(
  { run_id: text, is_joined: flag, 'notes?': arrayOf(text) },
  'The run that `serve` or workers execute. `is_joined`: it was open before.',
)

export interface Resumed {
  readonly run_id: string
  readonly by: Identity
}
export const resumedSchema: Schema<Resumed> = objectOf<Resumed>(
  { run_id: text, by: identitySchema },
  'The run continues, or waits in line.',
)

export interface Decided {
  readonly run_id: string
  readonly step: string
  readonly decision: 'succeeded' | 'failed' | 'retry'
  readonly by: Identity
  readonly left: readonly string[]
}
export const decidedSchema: Schema<Decided> = objectOf<Decided>(
  {
    run_id: text,
    step: text,
    decision: oneWord('succeeded', 'failed', 'retry'),
    by: identitySchema,
    left: arrayOf(text),
  },
  'The decision is on record. `left`: the paths of the calls that are still to be resolved before the run can be resumed.',
)

export interface TriggersSet {
  readonly paused: TriggerPause | null
}
export const triggersSetSchema: Schema<TriggersSet> = objectOf<TriggersSet>(
  { paused: unionOf(allPausedSchema, { type: 'null' }) },
  'Since when all automatic starts are paused; null: they are not.',
)

export interface ScheduleChanged {
  readonly schedule: string
  readonly run_id?: string
  readonly state?: 'active' | 'paused' | 'deleted'
}
export const scheduleChangedSchema: Schema<ScheduleChanged> = objectOf<ScheduleChanged>(
  { schedule: text, 'run_id?': text, 'state?': oneWord('active', 'paused', 'deleted') },
  'The run that was started, or how the schedule stands.',
)
