/** Writes a record without an end to the file of the first argument, and prints how that ended. */
import { writeRecord } from '../../../src/api/session-record/index.ts'
import { errorOf } from './feed.ts'

let isSourceCancelled = false

async function* endless(): AsyncGenerator<Uint8Array> {
  try {
    while (true) yield Buffer.alloc(65_536, 'x')
  } finally {
    isSourceCancelled = true
  }
}

const { code, message, details } = await errorOf(writeRecord(endless(), process.argv[2] ?? ''))
process.stdout.write(JSON.stringify({ code, message, details, isSourceCancelled }))
