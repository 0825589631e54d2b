import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openScheduleTable } from '../../../src/engine/embedded/index.ts'

const dayMs = 86_400_000
const beginMs = Date.parse('2026-11-21T08:00:00Z')

test.each([
  ['while serve continues', 0],
  ['after a clock that was ahead was set back', 200],
])('what came of a time is forgotten after 90 days %s', (_, daysAhead) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-schedules-'))
  const store = openScheduleTable({ dataDir })
  onTestFinished(() => {
    store.close()
    rmSync(dataDir, { recursive: true })
  })
  const look = (nowMs: number, times: readonly number[] = []): number => {
    const fires = times.map((atMs) => ({ atMs, because: 'missed' as const }))
    store.take('daily', nowMs, {
      decide: () => ({ fires, evaluatedUntilMs: nowMs, cancels: [] }),
    })
    return store.list(10)[0]?.last.length ?? 0
  }
  const schedule = { id: 'daily', runbook: 'daily', trigger: 0, definition: '{}' }
  store.declare([schedule], beginMs + daysAhead * dayMs)
  expect(look(beginMs, [beginMs])).toBe(1)
  expect(look(beginMs + 89 * dayMs)).toBe(1)
  expect(look(beginMs + 91 * dayMs)).toBe(0)
})
