/**
 * `opsbook serve` under load: signed events, each of them new, over 32 connections. It takes half of what an empty Fastify
 * handler with one SQLite commit takes in the same run, at least, and needs no more memory as it goes on.
 *
 *     npm run build && npx tsx bench/serve.ts [SECONDS]
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { DatabaseSync } from '@photostructure/sqlite'
import { fastify } from 'fastify'
import { Pool } from 'undici'
import { verdict, verdictAtLeast } from './verdict.ts'

const seconds = Number(process.argv[2] ?? 60)
const connections = 32
const key = Buffer.alloc(32, 7)
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

/** The peer: nothing but one row for each request, on disk before it is answered. */
async function servePeer(folder: string): Promise<void> {
  const database = new DatabaseSync(join(folder, 'peer.db'))
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE events (body TEXT)')
  const insert = database.prepare('INSERT INTO events VALUES (?)')
  const app = fastify()
  app.post('/', (request, reply) => {
    // A connection that nothing refers to is collected, whatever its statements are used for.
    if (!database.isOpen) throw new Error('the database is closed')
    insert.run(JSON.stringify(request.body))
    return reply.code(202).send({})
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  process.send?.(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`)
  process.on('disconnect', () => process.exit())
}

interface Load {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

async function compare(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'opsbook-bench-'))
  const peer = fork(fileURLToPath(import.meta.url), [folder])
  const [peerUrl] = (await once(peer, 'message')) as [string]
  const { serving, url } = await startServe(folder)
  try {
    const peerSeconds = Math.max(2, seconds / 6)
    await load(url, 2)
    const before = await load(peerUrl, peerSeconds)
    const memory = watchMemory(serving)
    const ours = await load(url, seconds)
    const { early, late, most } = memory.end()
    const after = await load(peerUrl, peerSeconds)
    const bare = (before.perSecond + after.perSecond) / 2
    say(`a handler with one commit: ${Math.round(bare)} a second, p99 ${before.p99Ms.toFixed(1)} ms`)
    say(
      `serve: ${Math.round(ours.perSecond)} events a second for ${seconds} s, p50 ${ours.p50Ms.toFixed(1)} ms, p99 ${ours.p99Ms.toFixed(1)} ms`,
    )
    say(`memory: ${early} MB after a quarter of the time, ${late} MB at its end, ${most} MB at most`)
    verdictAtLeast('events a second', ours.perSecond / bare, 0.5)
    verdict('memory, end to quarter', late / early, 1.3)
  } finally {
    peer.disconnect()
    serving.kill('SIGTERM')
    await once(serving, 'close')
    await rm(folder, { recursive: true, force: true })
  }
}

async function startServe(folder: string): Promise<{ readonly serving: ChildProcess; readonly url: string }> {
  await mkdir(join(folder, 'runbooks'))
  await writeFile(join(folder, 'opsbook.yaml'), configuration)
  await writeFile(join(folder, 'runbooks/look.yaml'), runbook)
  const serving = spawn(process.execPath, [main, 'serve', '--sandbox', '--listen', '127.0.0.1:0'], {
    cwd: folder,
    env: {
      ...process.env,
      HOOK_SECRET: `whsec_${key.toString('base64')}`,
      OPSBOOK_DATA_DIR: join(folder, 'data'),
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [line] = (await once(serving.stdout, 'data')) as [Buffer]
  const [address = ''] = /http:\S+/.exec(String(line)) ?? []
  return { serving, url: `${address}/hooks/incidents` }
}

const configuration = `hooks:
  incidents:
    auth: { type: standard-webhooks, secret: env:HOOK_SECRET }
    id: \${{ body.event_id }}
    map: { incident: "\${{ body.data }}" }
`

const runbook = `apiVersion: opsbook/v1
name: look
inputs: { properties: { host: { type: string } }, required: [host] }
triggers:
  - type: incident
    where: \${{ event.incident.severity == 'critical' }}
    dedupe-key: \${{ event.incident.id }}
    cooldown: { key: "\${{ event.incident.labels.host }}", for: 1m }
    with: { host: "\${{ event.incident.labels.host }}" }
steps:
  - id: catalog
    uses: monit/tools/catalog
    with: { target_locator: "\${{ inputs.host }}" }
`

let sent = 0

/** Sends over all connections as fast as answers come. */
async function load(url: string, forSeconds: number): Promise<Load> {
  const { origin, pathname } = new URL(url)
  const pool = new Pool(origin, { connections })
  const times: number[] = []
  const begin = performance.now()
  const endMs = begin + forSeconds * 1000
  const send = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const startMs = performance.now()
      const answer = await pool.request({ method: 'POST', path: pathname, ...event(++sent) })
      const text = await answer.body.text()
      if (answer.statusCode !== 202) throw new Error(`${url}: HTTP ${answer.statusCode} ${text}`)
      times.push(performance.now() - startMs)
    }
  }
  await Promise.all(Array.from({ length: connections }, send))
  const tookSeconds = (performance.now() - begin) / 1000
  await pool.close()
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN
  return { perSecond: times.length / tookSeconds, p50Ms: at(0.5), p99Ms: at(0.99) }
}

/** One in ten wants to start something; of those most are kept back. */
function event(number: number): { readonly headers: Record<string, string>; readonly body: string } {
  const id = `event-${number}`
  const severity = number % 10 === 0 ? 'critical' : 'minor'
  const data = {
    id: `inc-${number}`,
    title: 'Checkout is slow',
    severity,
    labels: { service: 'checkout', host: `web-${number % 5}` },
  }
  const body = JSON.stringify({ event_id: id, type: 'incident', data })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    },
  }
}

/** The memory of a process over time, in megabytes. */
function watchMemory({ pid }: ChildProcess): { end(): { early: number; late: number; most: number } } {
  const seen: number[] = []
  const isOver = new AbortController()
  const watch = async (): Promise<void> => {
    while (!isOver.signal.aborted) {
      const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
      seen.push(Math.round(Number(kilobytes) / 1024))
      await sleep(250, undefined, { signal: isOver.signal }).catch(() => {})
    }
  }
  void watch()
  return {
    end() {
      isOver.abort()
      const early = seen[Math.floor(seen.length / 4)] ?? 0
      return { early, late: seen.at(-1) ?? 0, most: Math.max(...seen) }
    },
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

if (process.send) await servePeer(process.argv[2] ?? '')
else await compare()
