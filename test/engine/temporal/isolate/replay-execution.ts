import type { Command, Isolate } from './create-isolate.ts'
import type { WorkflowExecution } from './play-workflow.ts'

/** The commands of a replay that differ from the recorded ones. */
export interface Deviation {
  readonly asked: readonly Command[]
  readonly before: readonly Command[]
}

/** Replays the activations of an execution. Returns the first difference, if there is one. */
export async function replayExecution(
  isolate: Isolate,
  workflowType: string,
  { runId, tasks }: WorkflowExecution,
): Promise<Deviation | undefined> {
  const [first] = tasks
  if (!first) return undefined
  const workflow = await isolate.create(workflowType, 'replayed', first.told.timeMs, runId)
  try {
    for (const { told, commands: before } of tasks) {
      const asked = await workflow.tell({ ...told, isReplaying: true })
      if (JSON.stringify(asked) !== JSON.stringify(before)) return { asked, before }
    }
    return undefined
  } finally {
    await workflow.dispose()
  }
}
