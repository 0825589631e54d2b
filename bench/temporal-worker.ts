/**
 * Workers in processes of their own, on a Temporal server, against a sandbox in another:
 *
 * - one worker, a loop of 10,000 items, 50 at a time: its memory, 400 MB at most;
 * - three workers, 50 runs at once with one account, each of ten calls: no call that a window refuses, and 1.10 times the
 *   shortest time that the windows allow at most.
 *
 *     npm run build && npx tsx bench/temporal-worker.ts [ITEMS] [RUNS]
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createActions, loadRunbook, type Plan } from 'opsbook'
import { operations } from 'opsbook/api'
import { startSandbox } from 'opsbook/sandbox'
import { actionQueueOf, connectClient, searchAttributes } from '../src/engine/temporal/index.ts'
import { runTypeOf } from '../src/engine/temporal/run-listing.ts'
import { startDevServer } from '../test/support/temporal-server.ts'
import { verdict } from './verdict.ts'

const memoryLimit = 400
const timeLimit = 1.1
const latencyMs = 20
const callsARun = 10
const worker = fileURLToPath(new URL('./temporal/worker-process.mjs', import.meta.url))
type Connection = Awaited<ReturnType<typeof connectClient>>

/** A loop of calls of one operation. */
function planFor(parallel: number): Plan {
  const runbook = `apiVersion: opsbook/v1
name: bench
inputs: { type: object, required: [items], properties: { items: { type: array } } }
steps:
  - id: each
    for-each: { items: "\${{ inputs.items }}", max-parallel: ${parallel} }
    uses: rum/issue/preset-severity/rules/disable
    with: { application_id: CheckoutWebSandboxApp1, rule_id: sev_crash }
`
  const { plan, diagnostics } = loadRunbook(runbook, createActions())
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  return plan
}

async function run(
  client: Connection,
  plan: Plan,
  count: number,
  taskQueue: string,
  runId: string,
): Promise<void> {
  const start = {
    plan,
    inputs: { items: Array.from({ length: count }, (_, index) => index) },
    runId,
    startedAtMs: Date.now(),
    startedBy: 'bench',
    actionQueue: actionQueueOf(taskQueue),
  }
  const options = { workflowId: runId, taskQueue, args: [start] }
  const { status } = (await client.workflow.execute(runTypeOf(plan.name), options)) as { status: string }
  if (status !== 'succeeded') throw new Error(status)
}

interface Workers {
  /** Megabytes of the largest. */
  stop(): Promise<number>
}

async function startWorkers(count: number, settings: object): Promise<Workers> {
  const children: ChildProcess[] = Array.from({ length: count }, () => fork(worker, { execArgv: [] }))
  for (const child of children) child.send(settings)
  await Promise.all(children.map((child) => once(child, 'message')))
  return {
    async stop() {
      const peaks = children.map((child) => once(child, 'message'))
      for (const child of children) child.send('stop')
      return Math.max(...(await Promise.all(peaks)).map(([megabytes]) => Number(megabytes)))
    },
  }
}

/** The shortest time in which so many calls can be answered. */
function boundMs(calls: number): number {
  const { perSecond, perMinute } = operations.disableRule.limit
  const fullMinutes = Math.floor((calls - 1) / perMinute)
  const rest = calls - fullMinutes * perMinute
  return fullMinutes * 60_000 + Math.floor((rest - 1) / perSecond) * 1000 + latencyMs
}

async function measureMemory(client: Connection, settings: object, items: number): Promise<void> {
  const taskQueue = 'bench-memory'
  const sandbox = await startSandbox({ limits: false })
  const workers = await startWorkers(1, { ...settings, taskQueue, url: sandbox.url, limits: 'off' })
  const startedAt = performance.now()
  await run(client, planFor(50), items, taskQueue, 'bench-memory')
  const seconds = (performance.now() - startedAt) / 1000
  const megabytes = await workers.stop()
  console.log(`${items} items, 50 at a time: ${seconds.toFixed(0)} s, ${megabytes.toFixed(0)} MB at most`)
  verdict(`memory of a worker, of ${memoryLimit} MB`, megabytes / memoryLimit, 1)
  await sandbox.close()
}

async function measureRuns(client: Connection, settings: object, runs: number): Promise<void> {
  const taskQueue = 'bench-runs'
  const sandbox = await startSandbox({ latencyMs })
  const workers = await startWorkers(3, { ...settings, taskQueue, url: sandbox.url })
  const plan = planFor(callsARun)
  await run(client, plan, 1, taskQueue, 'bench-runs-first')
  // The first run has its windows to itself.
  await new Promise((resolve) => setTimeout(resolve, 2000))
  const startedAt = performance.now()
  const all = Array.from({ length: runs }, (_, index) =>
    run(client, plan, callsARun, taskQueue, `bench-runs-${index}`),
  )
  await Promise.all(all)
  const tookMs = performance.now() - startedAt
  const bound = boundMs(runs * callsARun)
  await workers.stop()
  const response = await fetch(`${sandbox.url}/_sandbox/requests?limit=10000`)
  const { requests } = (await response.json()) as { requests: readonly { code: string | null }[] }
  const refused = requests.filter(({ code }) => code !== null && code !== 'OK').length
  console.log(
    `${runs} runs of ${callsARun} calls by 3 workers: ${tookMs.toFixed(0)} ms, bound ${bound} ms, ${refused} refused`,
  )
  verdict(`${runs} runs at once, time`, tookMs / bound, timeLimit)
  verdict(`${runs} runs at once, calls that were refused`, refused, 0)
  await sandbox.close()
}

async function main(items: number, runs: number): Promise<void> {
  const server = await startDevServer({ searchAttributes, tell: (line) => console.error(line) })
  const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-bench-'))
  const settings = { address: server.address, namespace: server.namespace, dataDir }
  const client = await connectClient({ ...settings, taskQueue: 'bench' })
  try {
    if (runs > 0) await measureRuns(client, settings, runs)
    if (items > 0) await measureMemory(client, settings, items)
  } finally {
    await client.connection.close()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

await main(Number(process.argv[2] ?? 10_000), Number(process.argv[3] ?? 50))
