/**
 * Three workers on one Temporal server, one account: mixed operations to a sandbox that keeps the document's limits and
 * takes 20 ms for every answer. All workers call the same targets. Limit: 1.3 times the shortest time that the windows
 * allow, since a call counts 0.2 s too long for each window of a second. And not one call that was refused, neither by
 * a window nor by a target. Takes about 80 seconds.
 *
 * Then what it costs: calls one after the other by one worker alone, through the limiter and through limits in memory,
 * to a server that takes 5 ms, in turns. Limit: 20 ms more for each call, which is a round trip to the limiter. And the
 * same while two other workers make calls of the same account, one after the other as well. Limit: 40 ms more.
 *
 * Uses the Temporal server of TEMPORAL_ADDRESS, else starts one of its own.
 *
 *     npx tsx bench/temporal-limits.ts
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTemporalLimits, searchAttributes, startWorker } from '../src/engine/temporal/index.ts'
import { startDevServer } from '../test/support/temporal-server.ts'
import { makeCalls, measureTogether, type SharedParts, type Together } from './pacing/call-together.ts'
import { createLoads } from './pacing/loads.ts'
import { measureCost } from './pacing/measure-cost.ts'
import { type CostAmong, keepCalling, measureCostAmong } from './pacing/measure-cost-among.ts'
import { playRole } from './pacing/roles.ts'
import { serveBare, serveSandbox } from './pacing/servers.ts'

const bench = 'temporal-limits'
const latencyMs = 20
/** Of the server that the cost is measured with: quicker than any service. */
const bareLatencyMs = 5

/** `short`: no window of a minute is filled. `windows`: without the cost. `cost`: nothing else. */
const kind = process.env['OPSBOOK_BENCH']
const counts =
  kind === 'short' ? { E3: 240, E4: 60, E5: 45, E7: 120 } : { E3: 1035, E4: 618, E5: 69, E7: 321 }
const together: Together = {
  bench,
  limit: 1.3,
  latencyMs,
  processes: 3,
  loads: createLoads(counts, 50),
}
/** Windows that are never full. */
const among: CostAmong = {
  bench: `${bench} among three`,
  limitMs: 40,
  rounds: 3,
  calls: 150,
  perMinute: 10_000,
  others: 2,
}

interface Place {
  readonly address: string
  readonly namespace: string
  readonly taskQueue: string
  readonly account: string
}

/** With a worker that has no actions: it carries limiters out, as every worker does. */
async function openWorker({ account, ...settings }: Place): Promise<SharedParts> {
  const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-bench-'))
  const worker = await startWorker({
    ...settings,
    actions: [],
    connect: () => Promise.reject(new Error('nothing is called')),
    secrets: { resolve: async () => '' },
    checkInputs: () => ({ inputs: {}, problems: [] }),
    dataDir,
  })
  const limits = await openTemporalLimits(settings)
  return {
    budget: limits.budget,
    targetLocks: limits.targetLocks,
    account,
    async close() {
      await limits.close()
      await worker.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function measure(): Promise<void> {
  const server = await startDevServer({ searchAttributes, tell: (line) => console.error(line) })
  const { address, namespace } = server
  const taskQueue = `bench-${process.ppid}`
  const placeOf = (part: string): Place => ({
    address,
    namespace,
    taskQueue: `${taskQueue}-${part}`,
    account: `${part}-${process.pid}`,
  })
  if (kind !== 'windows') {
    const cost = { bench: `${bench} alone`, limitMs: 20, rounds: 5, calls: 200, perMinute: 1000 }
    await measureCost(cost, await openWorker(placeOf('cost')))
    await measureCostAmong(among, placeOf('among'), openWorker)
  }
  if (kind !== 'cost') await measureTogether(together, placeOf('windows'))
  await server.stop()
}

await playRole(
  {
    sandbox: () => serveSandbox(latencyMs),
    bare: () => serveBare(bareLatencyMs),
    caller: () => makeCalls(together, openWorker),
    other: () => keepCalling(among, openWorker),
  },
  measure,
)
