import type { RunEvent } from '../../../core/events.ts'
import type { PlanIndex } from '../../../core/record/plan-index.ts'
import type { AttemptOrder, RunStart } from '../messages.ts'
import type { AmendedCalls } from './amended-calls.ts'
import type { AttemptWaits } from './attempt-waits.ts'
import type { Drain } from './drain.ts'
import type { Gate } from './gate.ts'
import type { RunControl } from './run-control.ts'
import type { SentCreates } from './sent-creates.ts'
import type { WorkflowMemory } from './workflow-memory.ts'

/** What making attempts needs. */
export interface AttemptPorts {
  readonly start: RunStart
  /** What workers hide in the answers of the run. */
  readonly hidden: Pick<AttemptOrder, 'secretNames' | 'sensitiveInputs'>
  readonly index: PlanIndex
  readonly control: RunControl
  readonly memory: WorkflowMemory
  readonly drain: Drain
  readonly gate: Gate
  readonly waits: AttemptWaits
  /** What was done before the run was amended, where it was. */
  readonly amended: AmendedCalls | undefined
  readonly sent: SentCreates
  report(event: RunEvent): void
}
