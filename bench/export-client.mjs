// The client of bench/export.ts, in a process of its own without a TypeScript loader, whose memory would count.
import { createHash } from 'node:crypto'
import { createClient } from '../dist/api/index.js'

const client = createClient({
  baseUrl: process.argv[2],
  appKey: 'bench-key-0123456789',
  limits: 'off',
  proxy: 'none',
})

/** Parses and hashes the same chunks of lines for half a second. */
function check(chunks) {
  const buffers = chunks.map((chunk) => Buffer.from(chunk))
  const hash = createHash('sha256')
  const startedAt = performance.now()
  let bytes = 0
  while (performance.now() - startedAt < 500) {
    for (const buffer of buffers) {
      hash.update(buffer)
      bytes += buffer.length
      for (const line of buffer.toString().split('\n')) if (line !== '') JSON.parse(line)
    }
  }
  return bytes / 1000 / (performance.now() - startedAt)
}

process.on('message', async ({ file, lines }) => {
  if (lines) return process.send({ rate: check(lines) })
  const startedAt = performance.now()
  const { data } = await client.exportSession({ session_id: 'sess_bench' }, { file })
  const milliseconds = performance.now() - startedAt
  process.send({ milliseconds, record: data, peakMegabytes: process.resourceUsage().maxRSS / 1024 })
})
process.on('disconnect', () => process.exit())
process.send('ready')
