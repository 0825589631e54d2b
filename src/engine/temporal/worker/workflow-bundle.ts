import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker'

let made: Promise<WorkflowBundleOption> | undefined

/** The code of the workflows, as workers replay it. Made once in a process. */
export function workflowBundle(): Promise<WorkflowBundleOption> {
  made ??= bundleWorkflowCode({
    workflowsPath: pathOf('index'),
    preloadModules: [pathOf('preload')],
    logger: quiet,
  })
  return made
}

function pathOf(module: string): string {
  return fileURLToPath(new URL(`../workflow/${module}.ts`, import.meta.url))
}

const quiet = {
  log() {},
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
}
