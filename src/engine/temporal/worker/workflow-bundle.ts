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
    workflowsPath: fileURLToPath(new URL('../workflow/index.ts', import.meta.url)),
    logger: quiet,
  })
}

const quiet = {
  log() {},
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
}
