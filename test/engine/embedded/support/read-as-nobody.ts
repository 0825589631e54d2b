/**
 * Reads records as a user without rights. Takes the path of a data directory on each line, and prints what it says as a
 * line of JSON.
 */
import { createInterface } from 'node:readline'
import { openRunReader, RunbookError } from 'opsbook'

const nobody = 65_534

// Root may write everywhere.
if (process.getuid?.() === 0) {
  process.setgroups?.([])
  process.setgid?.(nobody)
  process.setuid?.(nobody)
}
for await (const dataDir of createInterface(process.stdin))
  process.stdout.write(`${JSON.stringify(read(dataDir))}\n`)

function read(dataDir: string): object {
  try {
    const reader = openRunReader(dataDir)
    const runs = reader?.listRuns() ?? []
    const [run] = runs
    const events = run ? [...(reader?.readEvents(run.run_id) ?? [])].length : 0
    reader?.close()
    return { statuses: runs.map(({ status }) => status), hasEvents: events > 0 }
  } catch (error) {
    if (!RunbookError.is(error)) throw error
    return { code: error.code, message: error.message }
  }
}
