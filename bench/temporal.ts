/**
 * What a step costs on Temporal: our workflow against one that is written by hand and calls the same activity on the same
 * workers, in turns, on one server.
 *
 * - a step of a loop, one after another: 1.10 times at most;
 * - 200 calls at once: 1.10 times at most;
 * - a run of one step from its start to its end: 1.15 times at most.
 *
 * Beside each, the processor time of this process, which is worker and client at once, for a step of either.
 *
 *     npx tsx bench/temporal.ts [ROUNDS]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NativeConnection, Worker } from '@temporalio/worker'
import { checkInputs, createActions, defineAction, loadRunbook, type Plan } from 'opsbook'
import { actionQueueOf, connectClient, searchAttributes, startWorker } from '../src/engine/temporal/index.ts'
import { runTypeOf } from '../src/engine/temporal/run-type.ts'
import { startDevServer } from '../src/engine/temporal/server/index.ts'

const rounds = Number(process.argv[2] ?? 5)
const taskQueue = 'bench'
const handQueue = 'bench-by-hand'

const work = defineAction({
  name: 'bench/work',
  summary: 'Work for a moment',
  safety: 'read',
  input: { type: 'object', additionalProperties: true },
  output: { type: 'object' },
  run: async () => ({}),
})
const actions = createActions([work])

const server = await startDevServer({ searchAttributes, tell: (line) => console.error(line) })
const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-bench-'))
const settings = { address: server.address, namespace: server.namespace, taskQueue }
const ours = await startWorker({
  ...settings,
  actions,
  connect: () => Promise.reject(new Error('nothing is called')),
  secrets: { resolve: async () => '' },
  checkInputs: (child, given) => checkInputs(child as Plan, given),
  dataDir,
})
const native = await NativeConnection.connect({ address: server.address })
const byHand = await Worker.create({
  connection: native,
  taskQueue: handQueue,
  workflowsPath: fileURLToPath(new URL('./temporal/hand-written.ts', import.meta.url)),
  stickyQueueScheduleToStartTimeout: '2 seconds',
})
const byHandEnded = byHand.run()
const client = await connectClient(settings)

function planFor(parallel: number): Plan {
  const runbook = {
    apiVersion: 'opsbook/v1',
    name: 'bench',
    inputs: { type: 'object', required: ['items'], properties: { items: { type: 'array' } } },
    steps: [
      {
        id: 'each',
        'for-each': { items: '${{ inputs.items }}', as: 'item', 'max-parallel': parallel },
        uses: 'bench/work',
        with: { n: '${{ item }}' },
      },
    ],
  }
  const { plan, diagnostics } = loadRunbook(JSON.stringify(runbook), actions)
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  return plan
}

let runs = 0

async function runOurs(plan: Plan, count: number): Promise<void> {
  const runId = `bench-${process.pid}-${++runs}`
  const start = {
    plan,
    inputs: { items: Array.from({ length: count }, (_, index) => index) },
    runId,
    startedAtMs: Date.now(),
    startedBy: 'bench',
    actionQueue: actionQueueOf(taskQueue),
    mostEvents: 50_000,
  }
  const { status } = (await client.workflow.execute(runTypeOf(plan.name), {
    workflowId: runId,
    taskQueue,
    args: [start],
  })) as {
    status: string
  }
  if (status !== 'succeeded') throw new Error(status)
}

async function runByHand(count: number, parallel: number): Promise<void> {
  const workflowId = `bench-${process.pid}-${++runs}`
  const args = [actionQueueOf(taskQueue), count, parallel]
  await client.workflow.execute('handWritten', { workflowId, taskQueue: handQueue, args })
}

async function compare(name: string, count: number, parallel: number, limit: number): Promise<void> {
  const plan = planFor(parallel)
  const taken: (readonly [Taken, Taken])[] = []
  for (let round = 0; round <= rounds; round++) {
    const mine = await measure(() => runOurs(plan, count))
    const theirs = await measure(() => runByHand(count, parallel))
    // The first round warms up.
    if (round > 0) taken.push([mine, theirs])
    console.error(`${name}: ${mine.ms.toFixed(0)} ms, by hand ${theirs.ms.toFixed(0)} ms, for ${count}`)
  }
  const [mine, theirs] = [0, 1].map((side) =>
    median(taken.map((pair) => (pair[side] as Taken).cpuMs / count)),
  )
  const cpuRatio = median(taken.map(([one, other]) => one.cpuMs / other.cpuMs))
  console.log(
    `ratio ${name} ${median(taken.map(([one, other]) => one.ms / other.ms)).toFixed(2)} limit ${limit}`,
  )
  console.log(
    `ratio ${name}, processor time ${cpuRatio.toFixed(2)}: ${mine?.toFixed(2)} ms, by hand ${theirs?.toFixed(2)} ms a step`,
  )
}

interface Taken {
  readonly ms: number
  /** Of all threads of this process. */
  readonly cpuMs: number
}

async function measure(work: () => Promise<void>): Promise<Taken> {
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  await work()
  const ms = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpu)
  return { ms, cpuMs: (user + system) / 1000 }
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

await compare('sequential-step', 200, 1, 1.1)
await compare('200-at-once', 200, 200, 1.1)
await compare('start', 1, 1, 1.15)

byHand.shutdown()
await byHandEnded
await ours.stop()
await native.close()
await client.connection.close()
await server.stop()
rmSync(dataDir, { recursive: true, force: true })
