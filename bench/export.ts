/**
 * E6 of 1 GB to disk, by the client and by curl, from the same server with the same prebuilt bytes, in rounds that
 * take turns. Limits: at least 0.35 times the rate of `curl -s -o FILE`, and less than 150 MB of memory, whatever the
 * length of the record.
 *
 * The client parses each line, hashes and synchronises the file; curl does none of it. One thread does this at more
 * than 100 MB per second, and the network limits an export to less. Faster code would be harder to read for no user.
 * A second ratio compares with curl whose file is synchronised as well.
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

const rateLimit = 0.35
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
  try {
    // The first round warms everything up. Every file is new: replacing one would cost the time of freeing it.
    for (let round = 0; round <= rounds; round++) {
      const own = async (): Promise<void> => {
        const { milliseconds, record, ...memory } = await measureClient(client, file)
        if (record.complete !== 'yes') throw new Error(`complete: ${record.complete}`)
        peakMegabytes = memory.peakMegabytes
        if (round > 0) times.client.push(milliseconds)
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
  report(megabytes, times, peakMegabytes)
}

function report(
  megabytes: number,
  times: Readonly<Record<'client' | 'curl' | 'curlSynced', readonly number[]>>,
  peakMegabytes: number,
): void {
  const [own, curl, synced] = [median(times.client), median(times.curl), median(times.curlSynced)]
  const rate = (milliseconds: number): string => `${Math.round((megabytes * 1000) / milliseconds)} MB/s`
  console.log(`client ${rate(own)}, curl ${rate(curl)}, curl and sync ${rate(synced)}`)
  console.log(`ratio: ${(curl / own).toFixed(2)} (limit ${rateLimit})`)
  console.log(`ratio to curl and sync: ${(synced / own).toFixed(2)}`)
  console.log(`peak memory: ${Math.round(peakMegabytes)} MB (limit ${memoryLimit} MB)`)
  process.exitCode = curl / own >= rateLimit && peakMegabytes < memoryLimit ? 0 : 1
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

const [mode, size] = process.argv.slice(2)
if (mode === 'serve') serve(Number(size))
else await main(Number(mode ?? 1000), Number(size ?? 7))
