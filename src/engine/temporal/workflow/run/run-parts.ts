import type { RunExecution } from '../../messages.ts'
import type { Notifier } from '../notifications/notifier.ts'
import type { Drain } from './drain.ts'
import type { RunInbox } from './event-inbox.ts'
import type { LineWait } from './line-wait.ts'
import type { Questions } from './questions.ts'
import type { ResumedCalls } from './resumed-calls.ts'
import type { RunControl } from './run-control.ts'
import type { Recorder } from './run-log.ts'
import type { WorkflowMemory } from './workflow-memory.ts'

/** The parts of one execution of a run, which its host works with and its clients read. */
export interface RunParts extends RunExecution {
  readonly memory: WorkflowMemory
  readonly recorder: Recorder
  readonly control: RunControl
  readonly questions: Questions
  readonly inbox: RunInbox
  readonly lineWait: LineWait | undefined
  readonly notifier: Notifier
  readonly drain: Drain
  readonly changed: ResumedCalls | undefined
  /** The key of the run for the hashes of approved calls. Undefined: it asks for no approval, or has not begun. */
  readonly seal: { key: string | undefined }
}
