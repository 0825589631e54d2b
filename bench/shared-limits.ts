/**
 * Four processes, one data directory, one account: mixed operations to a sandbox that keeps the document's limits and
 * takes 20 ms for every answer. All processes call the same targets. Limit: 1.05 times the shortest time that the
 * windows allow, and not one call that was refused, neither by a window nor by a target. Takes about 65 seconds.
 *
 * Then what it costs: calls one after the other through the shared limits, and through limits in memory, to the same
 * server in turns, each with an empty minute of 1,000 calls that fills up. Limit: 0.3 ms more for each call.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSharedLimits } from 'opsbook'
import { type Client, type ClientOptions, createClient, operations, type RateLimit } from 'opsbook/api'
import { startSandbox } from 'opsbook/sandbox'

const limit = 1.05
const costLimitMs = 0.3
const latencyMs = 20
const processes = 4
const application_id = 'CheckoutWebSandboxApp1'

interface Load {
  readonly calls: number
  readonly limit: RateLimit
  readonly call: (client: Client, index: number) => Promise<unknown>
}

const loads: Readonly<Record<string, Load>> = {
  E3: {
    calls: 1040,
    limit: operations.getApplications.limit,
    call: (client) => client.getApplications({ application_ids: [application_id] }),
  },
  E4: {
    calls: 620,
    limit: operations.invokeTools.limit,
    call: (client, index) =>
      client.invokeTools({ target_locator: `node-${(index % 50) + 1}`, tools: [{ tool: 'os.overview' }] }),
  },
  E5: {
    calls: 68,
    limit: operations.previewDatasource.limit,
    call: (client) => client.previewDatasource({ ds_type: 'prometheus', ds_name: 'prom-main', expr: 'up' }),
  },
  E7: {
    calls: 320,
    limit: operations.disableRule.limit,
    call: (client) => client.disableRule({ application_id, rule_id: 'sev_crash' }),
  },
}

interface Job {
  readonly url: string
  readonly dataDir: string
}

/** The shortest time in which this many calls can be answered: the last one starts when its windows allow. */
function boundMs({ perSecond, perMinute }: RateLimit, calls: number): number {
  const fullMinutes = Math.floor((calls - 1) / perMinute)
  const rest = calls - fullMinutes * perMinute
  return fullMinutes * 60_000 + Math.floor((rest - 1) / perSecond) * 1000 + latencyMs
}

async function serveSandbox(): Promise<void> {
  const { url } = await startSandbox({ latencyMs })
  process.send?.(url)
}

function serveBare(): void {
  const answer = JSON.stringify({ request_id: 'req_0123456789', data: { items: [] } })
  const server = createServer((incoming, outgoing) => {
    incoming.resume().on('end', () => {
      outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length })
      outgoing.end(answer)
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () =>
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  )
}

/** One of the processes: opens everything, and makes its part of the calls when it is told to. */
async function work(): Promise<void> {
  const [{ url, dataDir }] = (await once(process, 'message')) as [Job]
  const { budget, targetLocks, close } = createSharedLimits(dataDir)
  const client = createClient({
    baseUrl: url,
    appKey: 'sandbox-owner',
    account: 'main',
    proxy: 'none',
    budget,
    targetLocks,
  })
  await client.listIngestionRules({ application_id }).catch(() => undefined)
  process.send?.('ready')
  await once(process, 'message')
  const startedAt = performance.now()
  const took = await Promise.all(
    Object.entries(loads).map(async ([name, { calls, call }]) => {
      const own = Array.from({ length: calls / processes }, (_, index) => call(client, index))
      await Promise.all(own)
      return [name, performance.now() - startedAt]
    }),
  )
  const { user, system } = process.cpuUsage()
  process.send?.({ took: Object.fromEntries(took), processorSeconds: (user + system) / 1e6 })
  await client.close()
  close()
}

interface Done {
  readonly took: Readonly<Record<string, number>>
  readonly processorSeconds: number
}

function start(role: string): ChildProcess {
  return fork(fileURLToPath(import.meta.url), [role])
}

async function heard<Message>(child: ChildProcess): Promise<Message> {
  const [message] = (await once(child, 'message')) as [Message]
  return message
}

async function countRefused(url: string): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = { RequestTooFrequently: 0, RequestLocked: 0 }
  const response = await fetch(`${url}/_sandbox/requests?limit=10000`)
  const { requests } = (await response.json()) as { requests: readonly { code: string | null }[] }
  for (const { code } of requests) if (code && code !== 'OK') counts[code] = (counts[code] ?? 0) + 1
  return { ...counts, requests: requests.length }
}

async function measureWindows(dataDir: string): Promise<void> {
  const server = start('sandbox')
  const url = await heard<string>(server)
  const children = Array.from({ length: processes }, () => start('work'))
  const ready = children.map((child) => heard(child))
  for (const child of children) child.send({ url, dataDir } satisfies Job)
  await Promise.all(ready)
  const ends = children.map((child) => heard<Done>(child))
  for (const child of children) child.send('go')
  const done = await Promise.all(ends)
  for (const [name, { calls, limit: rate }] of Object.entries(loads)) {
    const tookMs = Math.max(...done.map(({ took }) => took[name] ?? Number.NaN))
    const firstMs = Math.min(...done.map(({ took }) => took[name] ?? Number.NaN))
    const bound = boundMs(rate, calls)
    const figures = {
      calls,
      seconds: tookMs / 1000,
      firstSeconds: firstMs / 1000,
      boundSeconds: bound / 1000,
    }
    console.log(JSON.stringify({ bench: `shared-limits, ${name}`, ...figures }))
    console.log(`ratio: ${(tookMs / bound).toFixed(3)} (limit ${limit})`)
  }
  const processorSeconds = done.map((one) => one.processorSeconds)
  const refused = await countRefused(url)
  console.log(JSON.stringify({ bench: 'shared-limits, refused', ...refused, processorSeconds }))
  console.log(`ratio: ${(refused['RequestTooFrequently'] ?? 0) + (refused['RequestLocked'] ?? 0)} (limit 0)`)
  for (const child of children) child.disconnect()
  server.kill()
}

/** Milliseconds a call. */
async function measureCalls(
  options: Pick<ClientOptions, 'baseUrl'> & Partial<ClientOptions>,
): Promise<number> {
  const calls = 900
  const limits = { listIngestionRules: { perSecond: 100_000, perMinute: 1000 } }
  const client = createClient({ appKey: 'bench-key-0123456789', limits, proxy: 'none', ...options })
  for (let made = 0; made < 50; made++) await client.listIngestionRules({ application_id })
  const startedAt = performance.now()
  for (let made = 0; made < calls; made++) await client.listIngestionRules({ application_id })
  const tookMs = performance.now() - startedAt
  await client.close()
  return tookMs / calls
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

async function measureCost(dataDir: string): Promise<void> {
  const server = start('bare')
  const baseUrl = await heard<string>(server)
  const { budget, targetLocks, close } = createSharedLimits(dataDir)
  const times: { memory: number[]; shared: number[] } = { memory: [], shared: [] }
  for (let round = 0; round < 9; round++) {
    times.memory.push(await measureCalls({ baseUrl }))
    times.shared.push(await measureCalls({ baseUrl, budget, targetLocks, account: `round-${round}` }))
  }
  const [memory, shared] = [median(times.memory), median(times.shared)]
  const figures = {
    memoryMilliseconds: memory,
    sharedMilliseconds: shared,
    moreMilliseconds: shared - memory,
  }
  console.log(JSON.stringify({ bench: 'shared-limits, cost of a call', ...figures }))
  console.log(`ratio: ${((shared - memory) / costLimitMs).toFixed(2)} (limit 1)`)
  close()
  server.kill()
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'opsbook-bench-'))
  try {
    await measureWindows(join(folder, 'windows'))
    await measureCost(join(folder, 'cost'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

process.on('disconnect', () => process.exit())
if (process.argv[2] === 'sandbox') await serveSandbox()
else if (process.argv[2] === 'bare') serveBare()
else if (process.argv[2] === 'work') await work()
else await main()
