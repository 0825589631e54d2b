import type { Plan } from '../../core/plan.ts'

/** A runbook that events can start. */
export interface TriggeredRunbook {
  readonly plan: Plan
  /** Its file, for people. */
  readonly file: string
  /** What the file holds: where an expression stands is looked up in it. */
  readonly text: string
}
