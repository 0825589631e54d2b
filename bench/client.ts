/**
 * The overhead of the client: the same calls by the client and by bare undici `request`, to the same server, in
 * rounds that take turns. Limit: 1.25 times undici, for calls one after the other and for 200 at once; memory flat.
 *
 * The client is that of the build, as undici is. What a loader of TypeScript makes of the sources is not what anybody runs:
 * each function that is made inside of another one is given its name anew by a call of its own.
 *
 *     npm run build && npx tsx bench/client.ts
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { request } from 'undici'
import { verdict } from './verdict.ts'

const limit = 1.25
const rounds = 10
const appKey = 'bench-key-0123456789'
const input = { application_id: 'bench-application' }
const answer = JSON.stringify({
  request_id: 'req_0123456789',
  data: {
    items: [
      {
        rule_id: 'rule_1',
        rule_name: 'Ignore bots',
        filters: [],
        status: 'enabled',
        created_at: 1_767_225_600_000,
      },
    ],
  },
})

interface Peer {
  readonly name: string
  readonly call: () => Promise<unknown>
}

function serve(): void {
  const server = createServer((incoming, outgoing) => {
    incoming.resume().on('end', () => {
      outgoing.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(answer),
      })
      outgoing.end(answer)
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.on('disconnect', () => process.exit())
}

/** Microseconds per call: `parallel` at a time, `count` in all. */
async function measure({ call }: Peer, count: number, parallel: number): Promise<number> {
  const startedAt = performance.now()
  for (let made = 0; made < count; made += parallel) {
    if (parallel === 1) await call()
    else await Promise.all(Array.from({ length: parallel }, call))
  }
  return ((performance.now() - startedAt) / count) * 1000
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

async function compare(
  name: string,
  peers: readonly [Peer, Peer],
  count: number,
  parallel: number,
): Promise<void> {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    // The order changes from round to round, so that neither side always goes first.
    for (const side of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      times[side].push(await measure(peers[side], count / rounds, parallel))
    }
  }
  const [own, bare] = [median(times[0]), median(times[1])]
  const figures = {
    bench: name,
    calls: count,
    clientMicroseconds: round1(own),
    undiciMicroseconds: round1(bare),
  }
  console.log(JSON.stringify(figures))
  verdict(name, own / bare, limit)
}

function round1(value: number): number {
  return Math.round(value * 10) / 10
}

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
  return process.memoryUsage().heapUsed / 1024 / 1024
}

async function main(): Promise<void> {
  const built = new URL('../dist/api/index.js', import.meta.url).href
  const { createClient } = (await import(built)) as typeof import('opsbook/api')
  const child = fork(fileURLToPath(import.meta.url), ['serve'])
  const [port] = (await once(child, 'message')) as [number]
  const baseUrl = `http://127.0.0.1:${port}`
  const url = `${baseUrl}/rum/error-ingestion/rules/list?app_key=${appKey}`
  const headers = { 'content-type': 'application/json' }
  const bare: Peer = {
    name: 'undici',
    async call() {
      const { body } = await request(url, { method: 'POST', headers, body: JSON.stringify(input) })
      return body.json()
    },
  }
  const wide = { perSecond: 1_000_000, perMinute: 60_000_000 }
  for (const limits of ['off', { listIngestionRules: wide }] as const) {
    const client = createClient({ baseUrl, appKey, limits, proxy: 'none' })
    const own: Peer = { name: 'client', call: () => client.listIngestionRules(input) }
    const label = limits === 'off' ? 'limits off' : 'wide limits'
    for (const peer of [own, bare]) await measure(peer, 2000, 50)
    const before = heapAfterCollection()
    await compare(`client, one after the other, ${label}`, [own, bare], 10_000, 1)
    await compare(`client, 200 at once, ${label}`, [own, bare], 40_000, 200)
    const grownMegabytes = round1(heapAfterCollection() - before)
    console.log(JSON.stringify({ bench: `client, memory, ${label}`, calls: 50_000, grownMegabytes }))
    await client.close()
  }
  child.disconnect()
}

if (process.argv[2] === 'serve') serve()
else await main()
