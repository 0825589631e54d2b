/**
 * Pacing: 1,000 calls of E4 over many targets and 120 of E5 by one client, to a sandbox that keeps the document's
 * limits and takes 20 ms for every answer. Limit: 1.05 times the shortest time that the windows allow, and not one
 * `RequestTooFrequently` answered. Takes about 105 seconds.
 */
import { type Client, createClient } from 'opsbook/api'
import { createLoads, type Load } from './pacing/loads.ts'
import { type Held, printLoad, printRefused } from './pacing/print-results.ts'
import { heard, playRole, startRole } from './pacing/roles.ts'
import { serveSandbox } from './pacing/servers.ts'

const held: Held = { bench: 'rate-limited', limit: 1.05, latencyMs: 20 }
const loads = Object.entries(createLoads({ E4: 1000, E5: 120 }, 250))

async function run(client: Client, load: Load): Promise<number> {
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: load.calls }, (_, index) => load.call(client, index)))
  return performance.now() - startedAt
}

async function measure(): Promise<void> {
  const server = startRole('sandbox')
  const url = await heard<string>(server)
  const client = createClient({ baseUrl: url, appKey: 'sandbox-owner', proxy: 'none' })
  // Connections, compiled schemas and the sandbox itself are warm, as in a program that runs.
  await client.listIngestionRules({ application_id: 'warm' }).catch(() => undefined)
  const tookMs = await Promise.all(loads.map(([, load]) => run(client, load)))
  for (const [index, [name, load]] of loads.entries())
    printLoad(held, name, load, tookMs[index] ?? Number.NaN)
  await printRefused(held, url)
  await client.close()
  server.disconnect()
}

await playRole({ sandbox: () => serveSandbox(held.latencyMs) }, measure)
