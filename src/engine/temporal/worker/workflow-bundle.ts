import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker'

let made: Promise<WorkflowBundleOption> | undefined

/** The code of the workflows, as workers replay it. Made once in a process. */
export function workflowBundle(): Promise<WorkflowBundleOption> {
  made ??= bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../workflow/index.ts', import.meta.url)),
    logger: quiet,
  })
  return made
}

const quiet = {
  log() {},
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
}
