import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Client } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { type Action, checkInputs, createActions, defineAction, loadRunbook, type Plan } from 'opsbook'
import {
  actionQueueOf,
  connectClient,
  searchAttributes,
  startWorker,
} from '../../src/engine/temporal/index.ts'
import { startDevServer } from '../../test/support/temporal-server.ts'

/** One server with a worker of ours, and one whose workflows are written by hand and call our activity. */
export interface Stage {
  readonly client: Client
  readonly settings: { readonly address: string; readonly namespace: string; readonly taskQueue: string }
  readonly dataDir: string
  readonly actions: readonly Action[]
  /** The plan of a loop over the input `items` that calls the activity once for each. */
  planFor(parallel: number): Plan
  /** Runs a workflow of `hand-written.ts` to its end. */
  runByHand(type: string, workflowId: string, count: number, parallel: number): Promise<void>
  close(): Promise<void>
}

const taskQueue = 'bench'
const handQueue = 'bench-by-hand'

const work = defineAction({
  name: 'bench/work',
  summary: 'Do nothing',
  safety: 'read',
  input: { type: 'object', additionalProperties: true },
  output: { type: 'object' },
  run: async () => ({}),
})

export async function openStage(): Promise<Stage> {
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
    workflowsPath: fileURLToPath(new URL('./hand-written.ts', import.meta.url)),
    stickyQueueScheduleToStartTimeout: '2 seconds',
  })
  const byHandEnded = byHand.run()
  const client = await connectClient(settings)
  return {
    client,
    settings,
    dataDir,
    actions,
    planFor: (parallel) => planFor(parallel, actions),
    async runByHand(type, workflowId, count, parallel) {
      const args = [actionQueueOf(taskQueue), count, parallel]
      await client.workflow.execute(type, { workflowId, taskQueue: handQueue, args })
    },
    async close() {
      byHand.shutdown()
      await byHandEnded
      await ours.stop()
      await native.close()
      await client.connection.close()
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function planFor(parallel: number, actions: readonly Action[]): Plan {
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

/** How long something took. */
export interface Taken<T> {
  readonly made: T
  readonly ms: number
  /** Of all threads of this process. */
  readonly cpuMs: number
}

export async function measure<T>(what: () => Promise<T>): Promise<Taken<T>> {
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  const made = await what()
  const ms = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpu)
  return { made, ms, cpuMs: (user + system) / 1000 }
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
