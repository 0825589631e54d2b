// A worker of bench/temporal-worker.ts, in a process of its own without a TypeScript loader, whose memory would count.

import { createClient } from '../../dist/api/index.js'
import { checkInputs, createActions } from '../../dist/index.js'
import { openTemporalLimits, prepareRuntime, startWorker } from '../../dist/temporal/index.js'

prepareRuntime(({ level, message }) => {
  if (level === 'warn' || level === 'error') console.error(message)
})

process.once('message', async ({ url, limits: kept, address, namespace, taskQueue, dataDir }) => {
  const settings = { address, namespace, taskQueue }
  const limits = await openTemporalLimits(settings)
  const { budget, targetLocks } = limits
  const base = { baseUrl: url, appKey: 'sandbox-owner', account: 'bench', proxy: 'none' }
  const client = createClient(kept === 'off' ? { ...base, limits: 'off' } : { ...base, budget, targetLocks })
  const worker = await startWorker({
    ...settings,
    actions: createActions(),
    connect: async () => client,
    secrets: { resolve: async () => '' },
    checkInputs,
    dataDir,
  })
  process.once('message', async () => {
    const megabytes = process.resourceUsage().maxRSS / 1024
    await worker.stop()
    await limits.close()
    await client.close()
    process.send(megabytes, () => process.exit())
  })
  process.send('ready')
})
