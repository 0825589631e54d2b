import {
  type Action,
  checkInputs,
  type JsonObject,
  type LoadOptions,
  loadRunbook,
  type Plan,
  type RunReport,
  startRun,
  type TimedRunEvent,
} from 'opsbook'
import { createClient } from 'opsbook/api'

/** Where a runbook of a test is run. */
export interface Surroundings {
  readonly dataDir: string
  readonly actions: readonly Action[]
  /** The base URL of the service; left out where nothing is sent. */
  readonly url?: string
  readonly onEvent?: (event: TimedRunEvent) => void
}

/** Compiles a runbook that is given as data. JSON is YAML. */
export function compile(runbook: JsonObject, actions: readonly Action[], options: LoadOptions = {}): Plan {
  const text = JSON.stringify({ apiVersion: 'opsbook/v1', name: 'test', ...runbook })
  const { plan, diagnostics } = loadRunbook(text, actions, options)
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  return plan
}

/** Runs a plan to its end, with a client that nothing paces. */
export async function runPlan(plan: Plan, { url, ...surroundings }: Surroundings): Promise<RunReport> {
  const baseUrl = url ?? 'http://127.0.0.1:9'
  const client = createClient({ baseUrl, appKey: 'sandbox-owner', limits: 'off', proxy: 'none' })
  try {
    const run = await startRun({ plan, inputs: {}, ...surroundings, connect: () => client, checkInputs })
    return await run.result
  } finally {
    await client.close()
  }
}
