/**
 * Pacing: 1,000 calls of E4 over many targets and 120 of E5 by one client, to a sandbox that keeps the document's
 * limits and takes 20 ms for every answer. Limit: 1.05 times the shortest time that the windows allow, and not one
 * `RequestTooFrequently` answered. Takes about 105 seconds.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Client, createClient, operations, type RateLimit } from 'opsbook/api'
import { startSandbox } from 'opsbook/sandbox'

const limit = 1.05
const latencyMs = 20

interface Load {
  readonly name: string
  readonly calls: number
  readonly limit: RateLimit
  readonly call: (client: Client, index: number) => Promise<unknown>
}

const loads: readonly Load[] = [
  {
    name: 'E4',
    calls: 1000,
    limit: operations.invokeTools.limit,
    call: (client, index) =>
      client.invokeTools({ target_locator: `node-${(index % 250) + 1}`, tools: [{ tool: 'os.overview' }] }),
  },
  {
    name: 'E5',
    calls: 120,
    limit: operations.previewDatasource.limit,
    call: (client) => client.previewDatasource({ ds_type: 'prometheus', ds_name: 'prom-main', expr: 'up' }),
  },
]

/** The shortest time in which this many calls can be answered: the last one starts when its windows allow. */
function boundMs({ perSecond, perMinute }: RateLimit, calls: number): number {
  const fullMinutes = Math.floor((calls - 1) / perMinute)
  const rest = calls - fullMinutes * perMinute
  return fullMinutes * 60_000 + Math.floor((rest - 1) / perSecond) * 1000 + latencyMs
}

async function serve(): Promise<void> {
  const { url } = await startSandbox({ latencyMs })
  process.send?.(url)
  process.on('disconnect', () => process.exit())
}

async function run(client: Client, load: Load): Promise<number> {
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: load.calls }, (_, index) => load.call(client, index)))
  return performance.now() - startedAt
}

async function countRefused(url: string): Promise<number> {
  const response = await fetch(`${url}/_sandbox/requests`)
  const { requests } = (await response.json()) as { requests: readonly { code: string | null }[] }
  return requests.filter(({ code }) => code === 'RequestTooFrequently').length
}

async function main(): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), ['serve'])
  const [url] = (await once(child, 'message')) as [string]
  const client = createClient({ baseUrl: url, appKey: 'sandbox-owner', proxy: 'none' })
  // Connections, compiled schemas and the sandbox itself are warm, as in a program that runs.
  await client.listIngestionRules({ application_id: 'warm' }).catch(() => undefined)
  const tookMs = await Promise.all(loads.map((load) => run(client, load)))
  for (const [index, load] of loads.entries()) {
    const took = tookMs[index] ?? Number.NaN
    const bound = boundMs(load.limit, load.calls)
    const figures = { calls: load.calls, seconds: Math.round(took) / 1000, boundSeconds: bound / 1000 }
    console.log(JSON.stringify({ bench: `rate-limited, ${load.name}`, ...figures }))
    console.log(`ratio: ${(took / bound).toFixed(3)} (limit ${limit})`)
  }
  const refused = await countRefused(url)
  console.log(JSON.stringify({ bench: 'rate-limited, RequestTooFrequently answered', calls: refused }))
  console.log(`ratio: ${refused} (limit 0)`)
  await client.close()
  child.disconnect()
}

if (process.argv[2] === 'serve') await serve()
else await main()
