/**
 * Four processes, one data directory, one account: mixed operations to a sandbox that keeps the document's limits and
 * takes 20 ms for every answer. All processes call the same targets. Limit: 1.05 times the shortest time that the
 * windows allow, and not one call that was refused, neither by a window nor by a target. Takes about 65 seconds.
 *
 * Then what it costs: calls one after the other through the shared limits, and through limits in memory, to the same
 * server in turns, each with an empty minute of 1,000 calls that fills up. Limit: 0.3 ms more for each call.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSharedLimits } from 'opsbook'
import { makeCalls, measureTogether, type SharedParts, type Together } from './pacing/call-together.ts'
import { createLoads } from './pacing/loads.ts'
import { measureCost } from './pacing/measure-cost.ts'
import { playRole } from './pacing/roles.ts'
import { serveBare, serveSandbox } from './pacing/servers.ts'

const bench = 'shared-limits'
const latencyMs = 20
const together: Together = {
  bench,
  limit: 1.05,
  latencyMs,
  processes: 4,
  loads: createLoads({ E3: 1040, E4: 620, E5: 68, E7: 320 }, 50),
}

async function openLimits(dataDir: string): Promise<SharedParts> {
  const { budget, targetLocks, close } = createSharedLimits(dataDir)
  return { budget, targetLocks, account: 'main', close: async () => close() }
}

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'opsbook-bench-'))
  try {
    await measureTogether(together, join(folder, 'windows'))
    const cost = { bench, limitMs: 0.3, rounds: 9, calls: 900, perMinute: 1000 }
    await measureCost(cost, await openLimits(join(folder, 'cost')))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await playRole(
  {
    sandbox: () => serveSandbox(latencyMs),
    bare: () => serveBare(0),
    caller: () => makeCalls(together, openLimits),
  },
  measure,
)
