/**
 * Three workers on one Temporal server, one account: mixed operations to a sandbox that keeps the document's limits and
 * takes 20 ms for every answer. All workers call the same targets. Limit: 1.10 times the shortest time that the windows
 * allow, and not one call that was refused, neither by a window nor by a target. Takes about 70 seconds.
 *
 * Then what it costs: calls one after the other by one worker alone, through the limiter and through limits in memory,
 * to a server that takes 5 ms, in turns. Limit: 1 ms more for each call. And the same while two other workers make calls of
 * the same account, one after the other as well. Limit: 15 ms more for each call.
 *
 * Needs a Temporal server, by its address in TEMPORAL_ADDRESS.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Client, type ClientOptions, createClient, operations, type RateLimit } from 'opsbook/api'
import { startSandbox } from 'opsbook/sandbox'
import { connectClient, createTemporalLimits, startWorker } from '../src/engine/temporal/index.ts'

const limit = 1.1
const costLimitMs = 1
const sharedCostLimitMs = 15
const latencyMs = 20
/** Of the server that the cost is measured with: quicker than any service. */
const bareLatencyMs = 5
const processes = 3
const application_id = 'CheckoutWebSandboxApp1'
const address = process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233'
const taskQueue = `bench-${process.ppid}`

interface Load {
  readonly calls: number
  readonly limit: RateLimit
  readonly call: (client: Client, index: number) => Promise<unknown>
}

/** `short`: no window of a minute is filled. */
const isShort = process.env['OPSBOOK_BENCH'] === 'short'

const loads: Readonly<Record<string, Load>> = {
  E3: {
    calls: isShort ? 240 : 1035,
    limit: operations.getApplications.limit,
    call: (client) => client.getApplications({ application_ids: [application_id] }),
  },
  E4: {
    calls: isShort ? 60 : 618,
    limit: operations.invokeTools.limit,
    call: (client, index) =>
      client.invokeTools({ target_locator: `node-${(index % 50) + 1}`, tools: [{ tool: 'os.overview' }] }),
  },
  E5: {
    calls: isShort ? 45 : 69,
    limit: operations.previewDatasource.limit,
    call: (client) => client.previewDatasource({ ds_type: 'prometheus', ds_name: 'prom-main', expr: 'up' }),
  },
  E7: {
    calls: isShort ? 120 : 321,
    limit: operations.disableRule.limit,
    call: (client) => client.disableRule({ application_id, rule_id: 'sev_crash' }),
  },
}

interface Job {
  readonly url: string
  readonly queue: string
  readonly account: string
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
    incoming.resume().on('end', () =>
      setTimeout(() => {
        outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length })
        outgoing.end(answer)
      }, bareLatencyMs),
    )
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () =>
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  )
}

/** A worker that has no actions: it carries limiters out, as every worker does. */
async function openWorker(queue: string): Promise<{
  readonly limits: ReturnType<typeof createTemporalLimits>
  close(): Promise<void>
}> {
  const settings = { address, namespace: 'default', taskQueue: queue }
  const worker = await startWorker({
    ...settings,
    actions: [],
    connect: () => Promise.reject(new Error('nobody calls')),
    secrets: { read: () => Promise.reject(new Error('nobody asks')) },
    checkInputs: () => ({ isValid: true, inputs: {} }) as never,
    dataDir: '/nowhere',
  } as unknown as Parameters<typeof startWorker>[0])
  const client = await connectClient(settings)
  const limits = createTemporalLimits({ client, taskQueue: queue })
  return {
    limits,
    async close() {
      await limits.close()
      await worker.stop()
      await client.connection.close()
    },
  }
}

/** One of the processes: opens everything, and makes its part of the calls when it is told to. */
async function work(): Promise<void> {
  const [{ url, queue, account }] = (await once(process, 'message')) as [Job]
  const { limits, close } = await openWorker(queue)
  const { budget, targetLocks } = limits
  const client = createClient({
    baseUrl: url,
    appKey: 'sandbox-owner',
    account,
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
  await once(process, 'message')
  await client.close()
  await close()
  process.exit()
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

async function measureWindows(): Promise<void> {
  const server = start('sandbox')
  const url = await heard<string>(server)
  const children = Array.from({ length: processes }, () => start('work'))
  const ready = children.map((child) => heard(child))
  for (const child of children)
    child.send({ url, queue: taskQueue, account: `windows-${process.pid}` } satisfies Job)
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
    console.log(JSON.stringify({ bench: `temporal-limits, ${name}`, ...figures }))
    console.log(`ratio: ${(tookMs / bound).toFixed(3)} (limit ${limit})`)
  }
  const processorSeconds = done.map((one) => one.processorSeconds)
  const refused = await countRefused(url)
  console.log(JSON.stringify({ bench: 'temporal-limits, refused', ...refused, processorSeconds }))
  console.log(`ratio: ${(refused['RequestTooFrequently'] ?? 0) + (refused['RequestLocked'] ?? 0)} (limit 0)`)
  const ended = children.map((child) => once(child, 'exit'))
  for (const child of children) child.send('end')
  await Promise.all(ended)
  server.kill()
}

/** No window is ever full: each account makes fewer calls. */
const bareClient = {
  appKey: 'bench-key-0123456789',
  proxy: 'none',
  limits: { listIngestionRules: { perSecond: 100_000, perMinute: 4000 } },
} as const

/** Milliseconds a call. */
async function measureCalls(
  options: Pick<ClientOptions, 'baseUrl'> & Partial<ClientOptions>,
): Promise<number> {
  const calls = 400
  const client = createClient({ ...bareClient, ...options })
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

/** Another worker: makes one call after the other, of the account of each job, until the next job. */
async function share(): Promise<void> {
  const [{ url, queue, account }] = (await once(process, 'message')) as [Job]
  const { limits, close } = await openWorker(queue)
  const { budget, targetLocks } = limits
  const client = createClient({ ...bareClient, baseUrl: url, account, budget, targetLocks })
  let isOver = false
  process.once('message', () => {
    isOver = true
  })
  for (let made = 0; !isOver; made++) {
    await client.listIngestionRules({ application_id })
    if (made === 20) process.send?.('ready')
  }
  await client.close()
  await close()
  process.exit()
}

async function measureCost(): Promise<void> {
  const server = start('bare')
  const baseUrl = await heard<string>(server)
  const queue = `${taskQueue}-cost`
  const { limits, close } = await openWorker(queue)
  const { budget, targetLocks } = limits
  const times: Record<'memory' | 'alone', number[]> = { memory: [], alone: [] }
  for (let round = 0; round < 5; round++) {
    times.memory.push(await measureCalls({ baseUrl }))
    const account = `cost-${process.pid}-${round}`
    times.alone.push(await measureCalls({ baseUrl, budget, targetLocks, account }))
  }
  const account = `cost-${process.pid}-shared`
  const others = [start('share'), start('share')]
  for (const other of others) other.send({ url: baseUrl, queue, account } satisfies Job)
  await Promise.all(others.map((other) => heard(other)))
  const shared = await measureCalls({ baseUrl, budget, targetLocks, account })
  const ended = others.map((other) => once(other, 'exit'))
  for (const other of others) other.send('end')
  await Promise.all(ended)
  const memory = median(times.memory)
  tellCost('alone', median(times.alone), memory, costLimitMs)
  tellCost('among three', shared, memory, sharedCostLimitMs)
  await close()
  server.kill()
}

function tellCost(name: string, milliseconds: number, memory: number, limitMs: number): void {
  const figures = { milliseconds, inMemory: memory, more: milliseconds - memory }
  console.log(JSON.stringify({ bench: `temporal-limits, cost of a call ${name}`, ...figures }))
  console.log(`ratio: ${((milliseconds - memory) / limitMs).toFixed(2)} (limit 1)`)
}

async function main(): Promise<void> {
  if (process.env['OPSBOOK_BENCH'] !== 'windows') await measureCost()
  if (process.env['OPSBOOK_BENCH'] !== 'cost') await measureWindows()
}

process.on('disconnect', () => process.exit())
if (process.argv[2] === 'sandbox') await serveSandbox()
else if (process.argv[2] === 'bare') serveBare()
else if (process.argv[2] === 'work') await work()
else if (process.argv[2] === 'share') await share()
else await main()
