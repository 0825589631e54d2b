import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openScheduleTable } from '../../../src/engine/embedded/index.ts'
import { systemUserNamed } from '../../support/identity.ts'

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

test('a schedule is paused, resumed and started as it was shown, or not at all', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-schedules-'))
  const [store, ofOther] = [openScheduleTable({ dataDir }), openScheduleTable({ dataDir })]
  onTestFinished(() => {
    store.close()
    ofOther.close()
    rmSync(dataDir, { recursive: true })
  })
  store.declare([{ id: 'daily', runbook: 'daily', trigger: 0, definition: '{}' }], beginMs)
  const pause = { by: systemUserNamed('ada') }
  expect(store.setPause('daily', pause, beginMs, 'active')).toBe(true)
  const [paused] = ofOther.list(1)
  expect(() => ofOther.setPause('daily', pause, beginMs, 'active')).toThrow('daily was paused by ada since')
  expect(ofOther.setPause('daily', undefined, beginMs, paused?.paused?.since)).toBe(true)
  expect(() => store.setPause('daily', undefined, beginMs, paused?.paused?.since)).toThrow('was unpaused')
  store.take('daily', beginMs, {
    decide: () => ({
      fires: [{ atMs: beginMs, because: 'missed' }],
      evaluatedUntilMs: beginMs,
      cancels: [],
    }),
  })
  const start = () => ofOther.trigger('daily', beginMs, {} as never, systemUserNamed('bob'), 'never')
  expect(start).toThrow('daily was started since that was shown')
})
