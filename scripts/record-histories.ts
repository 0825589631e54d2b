/**
 * Records the histories of runs anew, on a real server: `npm run histories`, or `npm run histories -- NAME…` for those
 * of some runbooks. Tests replay them, so that a change of the workflow that open runs would not survive is noticed.
 * Only what is not released yet may be recorded anew.
 */
import { readdirSync, rmSync } from 'node:fs'
import { searchAttributes } from '../src/engine/temporal/messages.ts'
import { recordHistories } from '../test/engine/temporal/histories/record.ts'
import { startDevServer } from '../test/support/temporal-server.ts'

const folder = new URL('../test/engine/temporal/histories/', import.meta.url)
const names = process.argv.slice(2)
const isNamed = (name: string): boolean => names.length === 0 || names.includes(name)
const isWanted = (file: string): boolean => isNamed(file) || names.some((name) => file.startsWith(`${name}-`))
for (const file of readdirSync(folder))
  if (file.endsWith('.json') && isWanted(file.replace('.json', ''))) rmSync(new URL(file, folder))
const server = await startDevServer({ tell: (line) => console.error(line), searchAttributes })
try {
  for (const name of await recordHistories(server.address, isNamed)) console.log(name)
} finally {
  await server.stop()
}
