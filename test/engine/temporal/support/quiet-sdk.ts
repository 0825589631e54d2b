/** Of the log of the SDK, whose workers run in the process of the tests, only errors are written. */
import { inspect } from 'node:util'
import { prepareRuntime } from '../../../../src/engine/temporal/worker/index.ts'

prepareRuntime(({ level, message, fields }) => {
  if (level === 'error') process.stderr.write(`${message} ${inspect(fields)}\n`)
})
