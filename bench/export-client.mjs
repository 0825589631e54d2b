// The client of bench/export.ts, in a process of its own without a TypeScript loader, whose memory would count.
import { createClient } from '../dist/api/index.js'

const client = createClient({
  baseUrl: process.argv[2],
  appKey: 'bench-key-0123456789',
  limits: 'off',
  proxy: 'none',
})

process.on('message', async ({ file }) => {
  const startedAt = performance.now()
  const { data } = await client.exportSession({ session_id: 'sess_bench' }, { file })
  const milliseconds = performance.now() - startedAt
  process.send({ milliseconds, record: data, peakMegabytes: process.resourceUsage().maxRSS / 1024 })
})
process.on('disconnect', () => process.exit())
process.send('ready')
