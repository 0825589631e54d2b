import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { defineAction, type RunReport } from 'opsbook'
import { expect, it } from 'vitest'
import { compile, runPlan } from '../support/run-runbook.ts'

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

/** The report of a loop with two journaled calls for each item, and the rows of each table for each item. */
async function runItems(count: number): Promise<{ report: RunReport; rows: Record<string, number> }> {
  const step = {
    id: 'hosts',
    'for-each': { items: Array.from({ length: count }, (_, index) => `host-${index}`), 'max-parallel': 50 },
    steps: [
      { id: 'first', uses: 'test/look', with: { at: '${{ item }}' } },
      { id: 'second', uses: 'test/look', with: { at: '${{ steps.first.outputs.answer }}' } },
    ],
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-scale-'))
  try {
    const report = await runPlan(compile({ steps: [step] }, actions), { dataDir, actions })
    const database = new DatabaseSync(join(dataDir, 'opsbook.db'))
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    const rows = tables.map(({ name }) => {
      const row = database.prepare(`SELECT count(*) AS count FROM "${name}"`).get()
      return [String(name), Math.round(Number(row?.['count']) / count)] as const
    })
    database.close()
    return { report, rows: Object.fromEntries(rows) }
  } finally {
    rmSync(dataDir, { recursive: true })
  }
}

it('10,000 items end, and leave ten times the rows of 1,000', { timeout: 300_000 }, async () => {
  const few = await runItems(1000)
  const many = await runItems(10_000)
  expect(many.report).toMatchObject({ status: 'succeeded', steps: [{ path: 'hosts', attempts: 20_000 }] })
  expect(many.rows).toMatchObject({ attempts: 2 })
  expect(many.rows).toEqual(few.rows)
})
