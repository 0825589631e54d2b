import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { WorkflowBundleOption } from '@temporalio/worker'

let found: Promise<WorkflowBundleOption> | undefined

/** The code of the workflows, as workers replay it: of the build. A checkout bundles its sources. */
export function workflowBundle(): Promise<WorkflowBundleOption> {
  found ??= find()
  return found
}

async function find(): Promise<WorkflowBundleOption> {
  const built = fileURLToPath(new URL('../workflows.js', import.meta.url))
  if (existsSync(built)) return { codePath: built }
  const bundler = new URL('../../../../scripts/bundle-workflows.ts', import.meta.url).href
  const { keptBundle } = (await import(bundler)) as { keptBundle(): Promise<{ code: string }> }
  return keptBundle()
}
