/**
 * E6 of 1 GB to disk by the client, beside two peers in the same run:
 *
 * - the same thread that only parses each line and hashes the bytes, from memory: at least 0.5 times its rate. No client
 *   that checks a record on one thread can be faster than this peer;
 * - `curl -s -o FILE` from the same server, in rounds that take turns, without and with a sync of its file. It has no
 *   limit: curl checks nothing, and its rate differs by a third from run to run.
 *
 * Less than 150 MB of memory, whatever the length of the record.
 *
 *     npm run build && npx tsx bench/export.ts [MEGABYTES] [ROUNDS]
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { verdict, verdictAtLeast } from './verdict.ts'

const rateLimit = 0.5
const memoryLimit = 150
const chunkBytes = 64 * 1024

interface ClientRound {
  readonly milliseconds: number
  readonly peakMegabytes: number
  readonly record: { readonly bytes: number; readonly complete: string }
}

/** A record of about `size` bytes, with lines of about 1 KB, in chunks as they go out. */
function buildRecord(size: number): readonly Buffer[] {
  const rows = Array.from({ length: 5 }, (_, index) => ({
    id: 9000 + index,
    state: 'Waiting for table metadata lock',
    query: `SELECT id, total, updated_at FROM orders WHERE customer_id = ${index} AND status = "open" FOR UPDATE`,
  }))
  const body = JSON.stringify({ name: 'mysql.query', input: { max_rows: 5 }, output: { rows }, status: 'ok' })
  const chunks: Buffer[] = []
  let text = '{"type":"session_meta","session_id":"sess_bench","started_at":"2026-01-01T00:00:00Z"}\n'
  for (let seq = 1, built = 0; built < size; seq++) {
    const ts = new Date(1_767_225_600_000 + seq * 1000).toISOString()
    text += `{"type":"tool_call","seq":${seq},"ts":"${ts}",${body.slice(1)}\n`
    if (text.length < chunkBytes) continue
    const bytes = Buffer.from(text)
    chunks.push(bytes)
    built += bytes.length
    text = ''
  }
  return chunks
}

function serve(size: number): void {
  const chunks = buildRecord(size)
  const server = createServer((request, response) => {
    request.resume().on('end', () => void answer(response, chunks))
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.on('disconnect', () => process.exit())
}

async function answer(response: ServerResponse, chunks: readonly Buffer[]): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  for (const chunk of chunks) if (!response.write(chunk)) await once(response, 'drain')
  response.end()
}

/** Milliseconds until curl is done, and until its file is on disk. */
async function measureCurl(url: string, file: string): Promise<readonly [number, number]> {
  const options = ['-s', '-o', file, '-w', '%{time_total}', '-X', 'POST', '-d', '{}']
  const written = 1000 * Number(execFileSync('curl', [...options, url], { encoding: 'utf8' }))
  const startedAt = performance.now()
  const handle = await open(file, 'r+')
  await handle.sync()
  await handle.close()
  return [written, written + performance.now() - startedAt]
}

/** Megabytes per second of a thread that parses and hashes the lines, and does nothing else. */
async function measureCheck(client: ChildProcess): Promise<number> {
  client.send({ lines: buildRecord(1e6).map((chunk) => chunk.toString()) })
  const [{ rate }] = (await once(client, 'message')) as [{ readonly rate: number }]
  return rate
}

async function measureClient(client: ChildProcess, file: string): Promise<ClientRound> {
  client.send({ file })
  const [round] = (await once(client, 'message')) as [ClientRound]
  return round
}

async function main(megabytes: number, rounds: number): Promise<void> {
  const root = fileURLToPath(new URL('..', import.meta.url))
  if (!existsSync(join(root, 'dist/api/index.js'))) throw new Error('run "npm run build" first')
  const folder = await mkdtemp(join(tmpdir(), 'opsbook-bench-'))
  const file = join(folder, 'record.ndjson')
  const server = fork(fileURLToPath(import.meta.url), ['serve', String(megabytes * 1e6)])
  const [port] = (await once(server, 'message')) as [number]
  const baseUrl = `http://127.0.0.1:${port}`
  const client = fork(join(root, 'bench/export-client.mjs'), [baseUrl], { execArgv: [] })
  await once(client, 'message')
  const times = { client: [] as number[], curl: [] as number[], curlSynced: [] as number[] }
  let peakMegabytes = 0
  const checks: number[] = []
  try {
    // The first round warms everything up. Every file is new: replacing one would cost the time of freeing it.
    for (let round = 0; round <= rounds; round++) {
      const own = async (): Promise<void> => {
        const { milliseconds, record, ...memory } = await measureClient(client, file)
        if (record.complete !== 'yes') throw new Error(`complete: ${record.complete}`)
        peakMegabytes = memory.peakMegabytes
        if (round > 0) times.client.push(milliseconds)
        checks.push(await measureCheck(client))
      }
      const peer = async (): Promise<void> => {
        const [written, synced] = await measureCurl(baseUrl, file)
        if (round > 0) {
          times.curl.push(written)
          times.curlSynced.push(synced)
        }
      }
      for (const measure of round % 2 === 0 ? [own, peer] : [peer, own]) {
        await measure()
        await rm(file)
      }
    }
  } finally {
    client.disconnect()
    server.disconnect()
    await rm(folder, { recursive: true })
  }
  report(megabytes, times, { check: median(checks), peakMegabytes })
}

function report(
  megabytes: number,
  times: Readonly<Record<'client' | 'curl' | 'curlSynced', readonly number[]>>,
  { check, peakMegabytes }: { readonly check: number; readonly peakMegabytes: number },
): void {
  const [own, curl, synced] = [times.client, times.curl, times.curlSynced].map(
    (milliseconds) => (megabytes * 1000) / median(milliseconds),
  ) as [number, number, number]
  const rates = [own, check, curl, synced].map((rate) => `${Math.round(rate)} MB/s`)
  console.log(`client ${rates[0]}, only checked ${rates[1]}, curl ${rates[2]}, curl and sync ${rates[3]}`)
  verdictAtLeast('against a thread that only checks', own / check, rateLimit)
  console.log(`ratio to curl: ${(own / curl).toFixed(2)}, to curl and sync: ${(own / synced).toFixed(2)}`)
  verdict(`peak memory, of ${memoryLimit} MB`, peakMegabytes / memoryLimit, 1)
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

const [mode, size] = process.argv.slice(2)
if (mode === 'serve') serve(Number(size))
else await main(Number(mode ?? 1000), Number(size ?? 7))
