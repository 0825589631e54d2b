import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker'

let found: Promise<WorkflowBundleOption> | undefined

/** The code of the workflows, as workers replay it. The build has made it; from the sources it is made once in a process. */
export function workflowBundle(): Promise<WorkflowBundleOption> {
  found ??= find()
  return found
}

async function find(): Promise<WorkflowBundleOption> {
  const built = fileURLToPath(new URL('../workflows.js', import.meta.url))
  if (existsSync(built)) return { codePath: built }
  return bundleWorkflowCode({
    workflowsPath: pathOf('index'),
    preloadModules: [pathOf('preload')],
    logger: quiet,
  })
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
