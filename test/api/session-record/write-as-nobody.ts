/** Writes a record to the file of the first argument as a user without rights, and prints how that ended. */
import { writeRecord } from '../../../src/api/session-record/index.ts'
import { errorOf, inChunks } from './feed.ts'

const nobody = 65_534

// Root may write everywhere.
if (process.getuid?.() === 0) {
  process.setgroups?.([])
  process.setgid?.(nobody)
  process.setuid?.(nobody)
}
const { code, details } = await errorOf(
  writeRecord(inChunks(Buffer.from('{"type":"session_meta"}\n')), process.argv[2] ?? ''),
)
process.stdout.write(JSON.stringify({ code, details, uid: process.getuid?.() }))
