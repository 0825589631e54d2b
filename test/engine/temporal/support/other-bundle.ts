import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, type WorkflowBundle } from '@temporalio/worker'

let bundle: Promise<WorkflowBundle> | undefined

/** Code of workflows that has nothing in common with ours. To bundle it takes seconds, once in a process. */
export function otherBundle(): Promise<WorkflowBundle> {
  const workflowsPath = fileURLToPath(new URL('other-workflow.ts', import.meta.url))
  bundle ??= bundleWorkflowCode({ workflowsPath })
  return bundle
}
