import type { Identity } from '../../core/events.ts'
import type { CurrentStep, TriggerSource } from '../../core/record/index.ts'
import type { ErrorData } from '../../core/run-error.ts'
import type { ScheduleFire } from '../../core/triggers/index.ts'
import type { ScheduledStart } from './messages.ts'

/** The workflow types of runs: one for each runbook, so that metrics and lists of the server separate runbooks. */
const prefix = 'runbook/'

/** The workflow type of the runs of a runbook. */
export function runTypeOf(runbook: string): string {
  return prefix + runbook
}

/** Whether workflows of a type are runs. */
export function isRunType(workflowType: string): boolean {
  return workflowType.startsWith(prefix)
}

/** The part of a visibility query that finds the workflows of runs, of any runbook. */
export const isRunQuery: string = `WorkflowType STARTS_WITH '${prefix}'`

/** `OpsbookStatus` of a time of a schedule, as long as it has started no run. */
export const notStarted = 'not_started'

/** The part of a visibility query that leaves those out. */
export const isStartedQuery: string = `(OpsbookStatus IS NULL OR OpsbookStatus != '${notStarted}')`

/** What the server lists of a run. */
export interface ListedRun {
  readonly searchAttributes: Record<string, string[]>
  readonly memo: Record<string, unknown>
  readonly staticSummary: string
}

/** The memo of a run, so that lists need no worker. The codec encrypts it, if there is a key. */
export interface RunMemo {
  readonly title?: string
  readonly key?: string
  readonly planHash: string
  /** Distinguishes a second start with the same inputs from one with others. */
  readonly inputsHash: string
  readonly startedBy: Identity
  /** Left out by runs of schedules: they use the start time of their workflow. */
  readonly startedAtMs?: number
  /** Of a run of a schedule, without its time: the server writes that. */
  readonly startedFrom?: TriggerSource | ScheduledStart['scheduled']
  /** Of a time of a schedule that has started no run: why. Written by the workflow. */
  readonly fire?: Omit<ScheduleFire, 'at'>
  /** Of a schedule: shows whether it is up to date. */
  readonly scheduleHash?: string
  readonly connection?: string
  /** Identifies the start that created the run: a start with another token has joined the run. */
  readonly startToken: string
  /** Why the run did not succeed. Written by the run. */
  readonly error?: ErrorData
  /** What the run waits for. Written by the run as it begins to wait, and true only while its status is `waiting`. */
  readonly current_step?: CurrentStep
}
