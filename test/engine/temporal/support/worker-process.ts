/** A worker as a process of its own, to be killed: its address, queue, sandbox and directory are its arguments. */
import { checkInputs, createActions, type Plan } from 'opsbook'
import { createClient } from 'opsbook/api'
import { startWorker } from '../../../../src/engine/temporal/index.ts'

const [address = '', taskQueue = '', baseUrl = '', dataDir = ''] = process.argv.slice(2)
const service = createClient({ baseUrl, appKey: 'sandbox-owner', proxy: 'none' })
const worker = await startWorker({
  address,
  namespace: 'default',
  taskQueue,
  actions: createActions([]),
  connect: () => service,
  secrets: { resolve: async (name) => `value of ${name}` },
  checkInputs: (child, given) => checkInputs(child as Plan, given),
  dataDir,
})
process.on('SIGTERM', () => void worker.stop().then(() => service.close()))
process.send?.('ready')
await worker.ended
process.disconnect?.()
