/**
 * A worker whose calls wait before they have a connection, until the test releases them: its address, queue, service
 * and directory are its arguments. It says when a call waits, and how each one ended.
 */
import { once } from 'node:events'
import { checkInputs, createActions, type Plan, RunbookError } from 'opsbook'
import { createClient } from 'opsbook/api'
import { startWorker } from '../../../../src/engine/temporal/index.ts'

const [address = '', taskQueue = '', baseUrl = '', dataDir = ''] = process.argv.slice(2)
const service = createClient({ baseUrl, appKey: 'sandbox-owner', proxy: 'none' })
const actions = createActions([]).map((action): typeof action => ({
  ...action,
  async run(input, context) {
    try {
      const answer = await action.run(input, context)
      process.send?.('succeeded')
      return answer
    } catch (thrown) {
      const { code, notSent } = RunbookError.is(thrown) ? thrown : { code: 'none', notSent: false }
      process.send?.(`${code}${notSent ? ', not sent' : ''}`)
      throw thrown
    }
  },
}))
const letGo = once(process, 'message')
await startWorker({
  address,
  namespace: 'default',
  taskQueue,
  actions,
  async connect() {
    process.send?.('waits')
    await letGo
    return service
  },
  secrets: { resolve: async (name) => `value of ${name}` },
  checkInputs: (child, given) => checkInputs(child as Plan, given),
  dataDir,
})
process.send?.('ready')
