// A process of its own, so that nothing else is on its heap: runs a loop over many items, each with two calls that are
// journaled, and prints what is in the database afterwards and what was on the heap after every tenth of the items.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { defineAction } from '../../../src/index.ts'
import { compile, runPlan } from '../support/run-runbook.ts'

const count = Number(process.argv[2])
const answer = 'x'.repeat(1000)

const look = defineAction<{ readonly at: string }>({
  name: 'test/look',
  summary: 'Look',
  safety: 'read',
  input: { type: 'object', required: ['at'], properties: { at: { type: 'string' } } },
  output: { type: 'object', properties: { answer: { type: 'string' } } },
  run: async () => ({ answer }),
})
const actions = [look]
const items = Array.from({ length: count }, (_, index) => `host-${index}`)
const step = {
  id: 'hosts',
  'for-each': { items, 'max-parallel': 50 },
  steps: [
    { id: 'first', uses: 'test/look', with: { at: '${{ item }}' } },
    { id: 'second', uses: 'test/look', with: { at: '${{ steps.first.outputs.answer }}' } },
  ],
}

const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-scale-'))
const heaps: number[] = []
let ended = 0
const report = await runPlan(compile({ steps: [step] }, actions), {
  dataDir,
  actions,
  onEvent({ type }) {
    if (type !== 'item_finished' || ++ended % (count / 10) !== 0) return
    globalThis.gc?.()
    heaps.push(process.memoryUsage().heapUsed)
  },
})
const rows = countRows()
rmSync(dataDir, { recursive: true })
process.stdout.write(JSON.stringify({ report, heaps, rows }))

function countRows(): Record<string, number> {
  const database = new DatabaseSync(join(dataDir, 'opsbook.db'))
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  const counts = tables.map(({ name }) => {
    const row = database.prepare(`SELECT count(*) AS count FROM "${name}"`).get()
    return [String(name), Number(row?.['count'])] as const
  })
  database.close()
  return Object.fromEntries(counts)
}
