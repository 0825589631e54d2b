/**
 * A worker as a process of its own, to be killed: its address, queue, sandbox and directory are its arguments, and the
 * deployment and the build of its code, if it has a version.
 */
import { checkInputs, createActions, type Plan } from 'opsbook'
import { createClient } from 'opsbook/api'
import { startWorker } from '../../../../src/engine/temporal/index.ts'

const [address = '', taskQueue = '', baseUrl = '', dataDir = '', name, buildId] = process.argv.slice(2)
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
  ...(name === undefined || buildId === undefined ? {} : { deployment: { name, buildId } }),
})
process.on('SIGTERM', () => void worker.stop().then(() => service.close()))
process.send?.('ready')
await worker.ended
process.disconnect?.()
