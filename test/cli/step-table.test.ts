import { expect, test } from 'vitest'
import { stepTable } from '../../src/cli/run/report/step-table.ts'
import { chooseSymbols } from '../../src/cli/shared/terminal/symbols.ts'
import type { RunReport } from '../../src/engine/record/index.ts'
import { plainPaint } from '../../src/project/index.ts'
import { createRunTree } from '../../src/view/run/index.ts'

const style = { paint: plainPaint, symbols: chooseSymbols({}) }

const report: RunReport = {
  run_id: 'run_1',
  runbook: 'test',
  status: 'failed',
  started_at: '2026-11-20T03:00:00.000Z',
  ended_at: '2026-11-20T03:00:09.000Z',
  artifacts_dir: '/nowhere',
  steps: [
    {
      path: 'application',
      name: 'Create the application that the new checkout reports to',
      action: 'rum/application/create',
      status: 'succeeded',
      attempts: 1,
      started_at: '2026-11-20T03:00:00.000Z',
      ended_at: '2026-11-20T03:00:01.500Z',
    },
    {
      path: 'checks',
      action: 'monit/tools/invoke',
      status: 'failed',
      attempts: 3,
      started_at: '2026-11-20T03:00:02.000Z',
      ended_at: '2026-11-20T03:01:07.000Z',
    },
    { path: 'never', action: 'monit/tools/catalog', status: 'pending', attempts: 0 },
  ],
}

test('a row for each step', () => {
  expect(stepTable(report, createRunTree(), { ...style, width: undefined, now: 0 })).toEqual([
    '  ✔ application  Create the application that the new checkout reports to  succeeded    1.5s',
    '  ✖ checks       monit/tools/invoke                                       failed       1m 05s  3 calls',
    '  · never        monit/tools/catalog                                      not started',
  ])
})

test.each([60, 80])('names are cut so that rows fit %d columns', (width) => {
  const lines = stepTable(report, createRunTree(), { ...style, width, now: 0 })
  expect(Math.max(...lines.map((line) => [...line].length))).toBe(width)
  expect(lines[0]).toMatch(/Create the .*… {2}succeeded/)
})

test('names are never cut to nothing', () => {
  expect(stepTable(report, createRunTree(), { ...style, width: 10, now: 0 })[0]).toContain(
    'Create the …  succeeded',
  )
})
