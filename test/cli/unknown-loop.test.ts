import { expect, test } from 'vitest'
import { warningLines } from '../../src/cli/run/report/failure-lines.ts'
import { chooseSymbols } from '../../src/cli/shared/terminal/symbols.ts'
import { plainPaint } from '../../src/project/index.ts'
import { createRunTree } from '../../src/view/run/index.ts'
import { timed } from './events/recorded.ts'

test('a loop with a call of unknown outcome names the items that failed besides', () => {
  const state = createRunTree()
  const error = { code: 'AccessDenied', message: 'no' }
  const unknown = { code: 'OutcomeUnknown', message: 'lost' }
  const moments = [
    [0, { type: 'run_started', runbook: 'test', steps: [{ path: 'apps', action: 'for-each' }] }],
    [1, { type: 'step_started', path: 'apps', action: 'rum/application/create' }],
    [1, { type: 'items_counted', path: 'apps', total: 2 }],
    [1, { type: 'item_started', path: 'apps[0]', item: 'shop' }],
    [1, { type: 'attempt_failed', path: 'apps[0]', attempt: 1, error, is_repeated: false }],
    [2, { type: 'item_finished', path: 'apps[0]', status: 'failed' }],
    [2, { type: 'item_started', path: 'apps[1]', item: 'pay' }],
    [2, { type: 'attempt_failed', path: 'apps[1]', attempt: 1, error: unknown, is_repeated: false }],
    [3, { type: 'item_finished', path: 'apps[1]', status: 'unknown' }],
    [
      3,
      {
        type: 'step_finished',
        path: 'apps',
        status: 'unknown',
        attempts: 2,
        error: { ...unknown, path: 'apps[1]' },
        failed_items: { total: 2, failed: 1, kinds: [{ index: 0, count: 1, paths: ['apps[0]'], ...error }] },
      },
    ],
  ] as const
  for (const event of timed(moments as never)) state.take(event)
  const run = {
    status: 'unknown',
    steps: [{ path: 'apps', action: 'for-each', status: 'unknown', attempts: 2 }],
  }
  const lines = warningLines(run as never, state, { paint: plainPaint, symbols: chooseSymbols({}) })
  expect(lines).toEqual(['', 'failed: apps[0] (shop): AccessDenied: no'])
  const narrow = warningLines(run as never, state, {
    paint: plainPaint,
    symbols: chooseSymbols({}),
    width: 24,
  })
  expect(narrow).toEqual(['', 'failed: apps[0] (shop):\nAccessDenied: no'])
})

test('a batch with a call of unknown outcome names its step and the items that failed besides', () => {
  const state = createRunTree()
  const kinds = [{ index: 1, count: 6, code: 'internal', message: 'boom' }]
  const moments = [
    [0, { type: 'run_started', runbook: 'test', steps: [{ path: 'checks', action: 'x' }] }],
    [1, { type: 'step_started', path: 'checks', action: 'x' }],
    [
      3,
      {
        type: 'step_finished',
        path: 'checks',
        status: 'unknown',
        attempts: 2,
        error: { code: 'OutcomeUnknown', message: 'lost', path: 'checks' },
        failed_items: { total: 8, failed: 6, kinds },
      },
    ],
  ] as const
  for (const event of timed(moments as never)) state.take(event)
  const run = {
    status: 'unknown',
    steps: [{ path: 'checks', action: 'x', status: 'unknown', attempts: 2 }],
  }
  const lines = warningLines(run as never, state, { paint: plainPaint, symbols: chooseSymbols({}) })
  expect(lines).toEqual(['', 'failed: checks: item 1: internal (6): boom'])
})
