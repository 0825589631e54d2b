import { describe, expect, test } from 'vitest'
import { reportLines } from '../../src/cli/run/report/report-lines.ts'
import type { ReportedRun } from '../../src/cli/run/report/reported-run.ts'
import { foldRows, treeOrder } from '../../src/cli/run/report/step-table.ts'
import { chooseSymbols } from '../../src/cli/shared/terminal/symbols.ts'
import { createMask } from '../../src/core/mask/mask.ts'
import type { StepRecord } from '../../src/core/record/index.ts'
import { publicJson } from '../../src/documents/index.ts'
import { plainPaint } from '../../src/project/index.ts'
import { createItemNames, createRunTree } from '../../src/view/run/index.ts'
import { systemUserNamed } from '../support/identity.ts'
import { fleetRun } from './events/fleet.ts'
import { beginning, type Moment, timed } from './events/recorded.ts'

const options = {
  items: createItemNames(),
  paint: plainPaint,
  symbols: chooseSymbols({}),
  mask: createMask(),
  revealMask: createMask(),
  width: 100,
  now: Date.parse('2026-11-20T04:00:00Z'),
  flags: '',
}

function step(
  path: string,
  status: StepRecord['status'] = 'succeeded',
  more: Partial<StepRecord> = {},
): StepRecord {
  return { path, action: 'core/set', status, attempts: 1, ...more }
}

function run(steps: readonly StepRecord[], more: Partial<ReportedRun> = {}): ReportedRun {
  return {
    run_id: 'run_1',
    runbook: 'test',
    status: 'failed',
    started_at: '2026-11-20T03:00:00.000Z',
    ended_at: '2026-11-20T03:00:09.000Z',
    artifacts_dir: '/nowhere',
    steps,
    ...more,
  }
}

function report(of: ReportedRun, moments: readonly Moment[] = []): readonly string[] {
  const state = createRunTree()
  for (const event of timed(moments)) state.take(event)
  return reportLines(of, state, { ...options, items: state.items })
}

describe('rows of many steps', () => {
  const many = (count: number, name: string, status: StepRecord['status']): readonly StepRecord[] =>
    Array.from({ length: count }, (_, index) => step(`${name}${index}`, status))
  const folded = (steps: readonly StepRecord[]): readonly string[] =>
    foldRows(steps).map((row) => ('step' in row ? row.step.path : `${row.count} ${row.kind}`))

  test('few steps are all shown', () => {
    expect(folded(many(40, 'a', 'succeeded'))).toHaveLength(40)
  })

  test('of many those that are news, and the first of the others', () => {
    expect(
      folded([...many(300, 'a', 'succeeded'), step('bad', 'failed'), ...many(199, 'b', 'pending')]),
    ).toEqual(['a0', 'a1', '298 good', 'bad', 'b0', 'b1', '197 pending'])
  })

  test('what failed is never counted outside of loops', () => {
    expect(folded(many(100, 'a', 'failed'))).toHaveLength(100)
  })

  test('of a loop what went wrong, and not all of it', () => {
    const items = Array.from({ length: 1000 }, (_, index) =>
      step(`hosts[${index}]/checks`, index % 10 === 0 ? 'failed' : 'succeeded'),
    )
    expect(folded([step('hosts'), ...items, step('after')])).toEqual([
      'hosts',
      ...[0, 10, 20, 30, 40].map((index) => `hosts[${index}]/checks`),
      '95 bad',
      '900 good',
      'after',
    ])
  })
})

test('steps inside a step stand after it, and items in their order, whatever the order they began in', () => {
  const paths = [
    'setup',
    'hosts',
    'hosts[1]/checks',
    'setup/look',
    'hosts[0]/checks',
    'setup/look/one',
    'last',
  ]
  expect(treeOrder(paths.map((path) => step(path))).map(({ path }) => path)).toEqual([
    'setup',
    'setup/look',
    'setup/look/one',
    'hosts',
    'hosts[0]/checks',
    'hosts[1]/checks',
    'last',
  ])
})

test('a failure is told once, where it was, with what to do', () => {
  const error = {
    code: 'AccessDenied',
    message: 'no permission',
    path: 'outer/inner/deep',
    requestId: 'req-1',
  }
  const steps = ['outer', 'outer/inner', 'outer/inner/deep'].map((path) => step(path, 'failed', { error }))
  const lines = report(run(steps, { error }))
  expect(lines.slice(0, 11)).toEqual([
    '✖ test failed after 9.0s  run_1',
    '',
    '  ✖ outer     core/set  failed',
    '    ✖ inner   core/set  failed',
    '      ✖ deep  core/set  failed',
    '',
    'outer/inner/deep: AccessDenied  no permission',
    '  request id  req-1',
    expect.stringMatching(/^ {2}next {8}\S/),
    '',
    'Completed steps are not repeated. To try the rest again:',
  ])
})

test('a failure of the run itself is told besides those of its steps', () => {
  const error = { code: 'RunTimeout', message: 'worked longer than its timeout of 5 s' }
  const let_pass = { code: 'AccessDenied', message: 'no', path: 'a' }
  const lines = report(
    run([step('a', 'failed', { error: let_pass, is_warning: true })], { error, warnings: [let_pass] }),
  )
  expect(lines).toContain('✖ test failed after 9.0s, with 1 warning  run_1')
  expect(lines).toContain('run: RunTimeout  worked longer than its timeout of 5 s')
  expect(lines).toContain('failed, and the run continued: a: AccessDenied: no')
  expect(lines.join('\n').match(/AccessDenied/g)).toHaveLength(1)
})

test('a run that was cancelled has not failed, and what failed before is told all the same', () => {
  const cancelled = { code: 'Cancelled', message: 'the run was cancelled', path: 'ask' } as const
  const failed = { code: 'AccessDenied', message: 'no permission' } as const
  const of = (steps: ReportedRun['steps']): string =>
    report(run(steps, { status: 'cancelled', error: cancelled })).join('\n')
  const alone = of([step('ask', 'cancelled', { error: cancelled })])
  expect(alone).toMatch(/^⊘ test cancelled after/)
  expect(alone).toMatch(/⊘ ask +core\/set +cancelled/)
  expect(alone).not.toMatch(/✖|Cancelled|Start again/)
  expect(of([step('a', 'failed', { error: failed })])).toContain('a: AccessDenied  no permission')
})

test.each([
  ['TicketsNotSet', []],
  ['ApprovalRejected', []],
  [
    'TooManyFailures',
    [
      '  next        `opsbook show RUN --full` shows the calls of all items, and with `--output json` their whole answers.',
    ],
  ],
])('what to do after %s is said once, or not at all', (code, next) => {
  const error = { code, message: 'no', path: 'a' }
  const lines = report(run([step('a', 'failed', { error })], { error }))
  expect(lines.filter((line) => /^ *next |Read the message|Start again/.test(line))).toEqual(next)
  expect(lines.filter((line) => line.includes('opsbook resume run_1'))).toHaveLength(1)
})

test('a loop over its tolerance says what its items failed with, how many, and the first of them', () => {
  const moments = fleetRun({ items: 100, parallel: 10 })
  const error = { code: 'TooManyFailures', message: '14 of 100 items failed', path: 'hosts' }
  const lines = report(run([step('hosts', 'failed', { error })], { error }), moments)
  expect(lines).toContain('hosts: TooManyFailures  14 of 100 items failed')
  const all = '  hosts/checks: target_unavailable (14) in hosts[6], hosts[13], hosts[20], …'
  expect(lines).toContain(`${all}: the agent of host-6 is offline`)
  expect(lines.join('\n')).not.toContain(' more item')
})

test.each([
  [
    'interrupted',
    'Interrupted: 1 of 2 steps ended, and is not repeated.',
    'opsbook resume run_1 --data-dir d',
  ],
  ['failed', 'Completed steps are not repeated. To try the rest again:', 'opsbook resume run_1 --data-dir d'],
  ['unknown', 'Needs a decision: whether b was executed.', undefined],
  ['running', 'The run continues. To follow it:', 'opsbook watch run_1 --data-dir d'],
  ['waiting', 'b asks: Go on?', 'opsbook watch run_1 --data-dir d'],
  ['cancelled', undefined, undefined],
] as const)('what to do next with a run that is %s', (status, said, command) => {
  const questions = [
    {
      path: 'b',
      message: 'Go on?',
      shown: '1-0000000000',
      asked_at: '2026-11-20T03:00:00Z',
      status: 'open' as const,
      answers: [],
    },
  ]
  const unknown = { code: 'OutcomeUnknown', message: 'lost', path: 'b' }
  const b = status === 'unknown' ? step('b', 'unknown', { error: unknown }) : step('b', 'pending')
  const flagged = { ...options, flags: '--data-dir d' }
  const lines = reportLines(run([step('a'), b], { status, questions }), createRunTree(), flagged)
  if (said) expect(lines).toContain(said)
  expect(lines.filter((line) => line.includes('opsbook resume') || line.includes('opsbook watch'))).toEqual(
    command === undefined ? [] : [`  ${command}`],
  )
})

test.each([
  [0, 'Interrupted.'],
  [1, 'Interrupted: 1 of 3 steps ended, and is not repeated.'],
  [2, 'Interrupted: 2 of 3 steps ended, and are not repeated.'],
])('what is said of %d steps that ended before an interruption', (ended, said) => {
  const steps = ['a', 'b', 'c'].map((path, at) => step(path, at < ended ? 'succeeded' : 'pending'))
  expect(report(run(steps, { status: 'interrupted' }))).toContain(said)
})

test('a run whose process died took as long as it told of', () => {
  const { ended_at: _, ...died } = run([step('a', 'interrupted')], { status: 'interrupted' })
  const moments: readonly Moment[] = [
    [0, { type: 'run_started', runbook: 'test', steps: [{ path: 'a', action: 'core/set' }] }],
    [5000, { type: 'step_started', path: 'a', action: 'core/set' }],
  ]
  expect(report(died, moments)[0]).toBe('✖ test interrupted after 5.0s  run_1')
})

const waiting: readonly Moment[] = [
  [0, { type: 'run_started', runbook: 'test', steps: [{ path: 'a', action: 'core/wait' }] }],
  [0, { type: 'step_started', path: 'a', action: 'core/wait' }],
  [400, { type: 'waiting', path: 'a', reason: 'wait', until: beginning + 7_200_000 }],
]

test('how long a run took is left out where its process died in a wait', () => {
  const { ended_at: _, ...died } = run([step('a', 'interrupted')], { status: 'interrupted' })
  expect(report(died, waiting)[0]).toBe('✖ test interrupted while waiting  run_1')
})

test.each(['running', 'waiting'] as const)('a step of a %s run that waits is waiting', (status) => {
  const { ended_at: _, ...open } = run([step('a', 'running')], { status })
  expect(report(open, waiting)[2]).toMatch(/^ {2}◷ a +core\/set +waiting/)
})

test('errors have names like everything else in documents and events', () => {
  const error = {
    code: 'AccessDenied',
    message: 'no',
    requestId: 'r',
    retryAfterMs: 5,
    notSent: true,
    mayHaveExecuted: true,
    isSettled: true,
  }
  const named = {
    code: 'AccessDenied',
    message: 'no',
    request_id: 'r',
    retry_after_ms: 5,
    not_sent: true,
    may_have_executed: true,
  }
  const document = {
    status: 'failed',
    error,
    warnings: [error],
    steps: [{ path: 'a', error, caught: error }],
  }
  expect(publicJson(document)).toEqual({
    status: 'failed',
    error: named,
    warnings: [named],
    steps: [{ path: 'a', error: named, caught: named }],
  })
  expect(publicJson({ outputs: { error: { requestId: 'mine' } } })).toEqual({
    outputs: { error: { requestId: 'mine' } },
  })
})

test('failures that were let pass are counted, also those that the run does not name', () => {
  const warnings = Array.from({ length: 100 }, (_, index) => ({
    code: 'AccessDenied',
    message: 'no',
    path: `each[${index}]/soft`,
  }))
  const lines = report(run([step('each')], { status: 'succeeded', warnings, warnings_left_out: 900 }))
  expect(lines[0]).toContain('with 1000 warnings')
  expect(lines).toContain('failed, and the run continued: 990 more')
})

test('a run that is being cancelled does not look as if it went on as before', () => {
  const cancel = { kind: 'cancel', by: systemUserNamed('ada'), at: '2026-11-20T03:59:00.000Z' } as const
  const taken = { ...cancel, taken_at: '2026-11-20T03:59:00.100Z' }
  const head = (more: Partial<ReportedRun>): string =>
    report(run([step('a', 'running')], { status: 'running', ...more }))[0] ?? ''
  expect(head({ control_requests: [taken] })).toContain('test being cancelled, running for')
  expect(head({ control_requests: [taken], status: 'waiting' })).toContain('being cancelled')
  expect(head({ control_requests: [cancel] })).toContain('test running for')
  // From before an earlier ending.
  expect(head({ control_requests: [{ ...taken, over_at: taken.at }] })).toContain('test running for')
  const lines = report(run([step('a', 'running')], { status: 'running', control_requests: [taken] }))
  expect(lines).toContain('Calls in flight end, then its clean-up runs. To follow it:')
})
