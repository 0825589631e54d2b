import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { drawFrame } from '../../src/cli/run/follow/frame.ts'
import { createLiveView } from '../../src/cli/run/follow/live-view.ts'
import { createPlainLines } from '../../src/cli/run/follow/plain-lines.ts'
import type { Io, OutputStream } from '../../src/cli/shared/io.ts'
import { chooseSymbols } from '../../src/cli/shared/terminal/symbols.ts'
import type { TimedRunEvent } from '../../src/core/events.ts'
import type { JsonValue } from '../../src/core/json.ts'
import { createMask } from '../../src/core/mask/mask.ts'
import type { Plan } from '../../src/core/plan/plan.ts'
import { plainPaint } from '../../src/project/index.ts'
import { printableLine } from '../../src/project/text/index.ts'
import { createRunTree, plannedSteps, type RunTree } from '../../src/view/run/index.ts'
import { systemUserNamed } from '../support/identity.ts'
import { fleetRun } from './events/fleet.ts'
import {
  askingRun,
  beginning,
  branchedRun,
  busyRun,
  longRun,
  loopRun,
  type Moment,
  nestedRun,
  timed,
} from './events/recorded.ts'
import { createScreen } from './support/screen.ts'

const style = { paint: plainPaint, symbols: chooseSymbols({ LANG: 'C.UTF-8' }) }

function stateAfter(moments: readonly Moment[]): RunTree {
  const state = createRunTree()
  for (const event of timed(moments)) state.take(event)
  return state
}

function frameAfter(moments: readonly Moment[], atMs: number, rows = 23, columns = 79): readonly string[] {
  return frameOf(stateAfter(moments), atMs, rows, columns)
}

function frameOf(state: RunTree, atMs: number, rows: number, columns: number, tick = 0): readonly string[] {
  const now = beginning + atMs
  const { items } = state
  return drawFrame(state, {
    ...style,
    clean: printableLine,
    items,
    now,
    tick,
    rows,
    columns,
    note: 'Ctrl-C stops',
  })
}

test('a run at work: states, progress, what is waited for and until when', () => {
  expect(frameAfter(busyRun, 4500)).toEqual([
    'diagnose  First look',
    '',
    '✔ application  Create the application  0.2s',
    '– optional     skipped: inputs.all',
    '◷ checks       Run the tools  ███░░░░░░░ 1/3 groups  4.3s',
    expect.stringMatching(/^ {4}◷ group 2 refused as too frequent: retries in 7s, at \d\d:\d\d:11$/),
    '· hosts        monit/preview/sync',
    '· publish      incident/post-mortem/status/reset',
    '',
    '⠋ 2 of 5 steps · 4.5s · Ctrl-C stops',
  ])
})

test('the countdown runs down, and a wait that is over is gone', () => {
  const waitAt = (atMs: number): string | undefined =>
    frameAfter(busyRun, atMs).find((line) => line.includes('    ◷'))
  expect(waitAt(1500)).toContain('in 10s')
  expect(waitAt(10_600)).toContain('in 1s')
  expect(waitAt(11_500)).toBeUndefined()
})

test.each([
  ['the group itself', 'checks/group-2'],
  ['the step it belongs to', 'checks'],
])('what waits goes on when the next attempt is made: %s', (_, waiting) => {
  const action = 'monit/tools/invoke'
  const waits: readonly Moment[] = [
    ...busyRun.slice(0, -1),
    [1500, { type: 'waiting', path: waiting, reason: 'retry', until: beginning + 60_000 }],
  ]
  expect(frameAfter(waits, 2000).join()).toContain('◷')
  const goesOn: Moment = [2000, { type: 'attempt_started', path: 'checks/group-2', attempt: 2, action }]
  expect(frameAfter([...waits, goesOn], 2000).join()).not.toContain('◷')
})

test('a loop: how far it is, how many failed, and what each item waits for', () => {
  const lines = frameAfter(loopRun, 3000)
  expect(lines).toContainEqual(expect.stringContaining('█████░░░░░ 3/6 items, 1 failed'))
  expect(lines.filter((line) => line.includes('['))).toEqual([
    expect.stringContaining('  ◷ [3]  waits for the rate limit of the account, ready in 57s, at'),
    expect.stringMatching(
      /^ {2}◷ \[4\] {2}retries in 2s, at \d\d:\d\d:05, after overloaded: the agent is busy/,
    ),
    expect.stringContaining('  ◷ [5]  retries in 2s'),
  ])
})

const named = (index: number, item: JsonValue): Moment => [
  0,
  { type: 'item_started', path: `hosts[${index}]`, item },
]
const namedRun: readonly Moment[] = [
  ...loopRun.slice(0, 3),
  named(1, 'web-01'),
  named(3, 'web-03'),
  named(4, { name: 'web-04', token: 'tok_very_secret', role: 'x'.repeat(50) }),
  ...loopRun.slice(3),
]

test('items of a loop are named beside their index, cut after what is sensitive is hidden', () => {
  const state = createRunTree({ mask: createMask(['tok_very_secret', 'x'.repeat(50)]) })
  for (const event of timed(namedRun)) state.take(event)
  const lines = frameOf(state, 3000, 23, 119)
  expect(lines.filter((line) => line.includes('['))).toEqual([
    expect.stringContaining('  ◷ [3] (web-03)'),
    expect.stringContaining('  ◷ [4] (name=web-04, token=(ma…'),
    expect.stringContaining('  ◷ [5]  '),
  ])
  expect(
    plain(namedRun)
      .filter((line) => line.includes('hosts['))
      .slice(-4),
  ).toEqual([
    expect.stringMatching(/^02 hosts\[4\] \(name=.*xxxx…\): attempt 1 failed/),
    expect.stringMatching(/^02 hosts\[4\] \(name=.*xxxx…\): retries in/),
    expect.stringMatching(/^02 hosts\[5\]: attempt 1 failed/),
    expect.stringMatching(/^02 hosts\[5\]: retries in/),
  ])
  expect(state.items.label('hosts[4]/a')).toBe('hosts[4]/a (name=web-04, token=(masked), role=(masked))')
  expect(state.items.label('hosts[4]/a', 'hosts[4]')).toBe('a')
})

test('a loop that has ended still says how many of its items failed', () => {
  const failed_items = { total: 6, failed: 1, kinds: [] }
  const ended: Moment = [
    4000,
    { type: 'step_finished', path: 'hosts', status: 'succeeded', attempts: 6, failed_items },
  ]
  expect(frameAfter([...loopRun, ended], 9000)).toContainEqual(
    expect.stringMatching(/^✔ hosts .* 1 of 6 items failed .*4\.0s$/),
  )
})

test('what a resume has set aside keeps the item that it was made for', () => {
  const state = stateAfter([...namedRun, [5000, { type: 'item_started', path: 'hosts[3]', item: 'db-01' }]])
  expect(state.items.facts('hosts[3]/a')).toEqual({ index: 3, item: 'db-01' })
  expect(state.items.facts('hosts[3]/a', beginning + 4000)).toEqual({ index: 3, item: 'web-03' })
  expect(state.items.facts('hosts')).toBeUndefined()
})

test('a block at work, a failure that was caught, one that is only a warning; nobody needs to see a time limit', () => {
  expect(frameAfter(nestedRun, 4000)).toEqual([
    'onboard  Bring a shop into the account',
    '',
    '! optional  TooManyFailures: 2 of 3 items failed  0.9s',
    '✔ export    caught AccessDenied: the session is private  0.5s',
    '⠋ setup     Make everything  2.5s',
    '  ⠋ agent  safari/a2a-agent/create  2.0s',
    '· ready     Wait until it reports',
    '· look      parallel',
    '· ask       Ask the owner',
    '',
    '⠋ 2 of 6 steps · 1 warning · 4.0s · Ctrl-C stops',
  ])
})

test('branches at the same time: each with what it waits for, the one that failed with why', () => {
  const lines = frameAfter(branchedRun, 9000)
  expect(lines.slice(6, 14).map((line) => line.replace(/\d\d:\d\d:(?=\d\d)/, '#:'))).toEqual([
    '⠋ look      parallel  0.8s',
    '  ◷ pause   core/wait  0.8s',
    '      ◷ waits, continues in 1m 00s, at #:08',
    '  ✖ denied  AccessDenied: no permission for this host  0.1s',
    '  ◷ query   monit/preview/sync  0.7s',
    '      ◷ waits for the rate limit of the account, ready in 11s, at #:20',
    '  ◷ target  monit/tools/invoke  0.7s',
    '      ◷ waits for the target',
  ])
})

test('a poll that waits for its next call says so until then', () => {
  const polls = branchedRun.slice(
    0,
    branchedRun.findIndex(
      ([, { type, ...event }]) =>
        type === 'attempt_started' && 'path' in event && event.path === 'ready/poll-2',
    ),
  )
  expect(frameAfter(polls, 4000).join()).toContain('condition not met yet: checks again in 5s')
  expect(frameAfter(branchedRun, 9000).join()).not.toContain('not there yet')
})

test('a question: who is asked for how long, and all that is asked', () => {
  expect(frameAfter(askingRun, 71_000).slice(-6)).toEqual([
    '◷ ask       Ask the owner  1.0s',
    expect.stringMatching(/^ {4}◷ awaiting approval until \d\d:\d\d:10 \(29m 59s left\)$/),
    '      The application app_1 and its agent are there. Three tools say that the',
    '      host is short of memory. Publish the application now, with its agent?',
    '',
    '⠋ 5 of 6 steps · 1 warning · 1m 11s · Ctrl-C stops',
  ])
})

test('the question comes first when there is room for one line', () => {
  expect(frameAfter(askingRun, 71_000, 6, 60)).toContainEqual(
    expect.stringContaining('◷ ask       asks: The application app_1'),
  )
})

test('the steps of a block are counted where the plan tells of them', () => {
  const uses = { kind: 'uses', uses: { action: { name: 'monit/tools/catalog' } } } as const
  const steps = ['application', 'agent', 'link'].map((id) => ({ ...uses, id }))
  const plan = { steps: [{ kind: 'block', id: 'setup', steps }] } as unknown as Plan
  const state = createRunTree({ planned: plannedSteps(plan) })
  for (const event of timed(nestedRun)) state.take(event)
  expect(frameOf(state, 4000, 23, 79)).toContainEqual(
    expect.stringMatching(/^⠋ setup .*███░░░░░░░ 1\/3 steps/),
  )
})

test.each([
  [500, 300, 23],
  [500, 0, 23],
  [500, 499, 23],
  [500, 250, 10],
  [500, 250, 6],
  [20, 10, 23],
])('%d steps, %d ended, in %d rows', (total, ended, rows) => {
  const lines = frameAfter(longRun(total, ended), ended * 1000 + 100, rows)
  expect(lines.length).toBeLessThanOrEqual(rows)
  const text = lines.join('\n')
  expect(text).toContain(`⠋ step_${ended + 1} `)
  expect(text).toContain(`${ended} of ${total} steps`)
})

test('steps that do not fit are counted, and every step is shown or counted', () => {
  const lines = frameAfter(longRun(500, 300), 300_100)
  const earlier = Number(/(\d+) earlier steps ended/.exec(lines.join('\n'))?.[1])
  const later = Number(/and (\d+) more to come/.exec(lines.join('\n'))?.[1])
  const shown = lines.filter((line) => /step_\d+/.test(line)).length
  expect(earlier + shown + later).toBe(500)
})

const fleet = fleetRun({ items: 10_000, parallel: 40 })
const middle = fleet.length / 2
/** What drawing only reads is folded once. */
const fleetInMiddle = stateAfter(fleet.slice(0, middle))

test.each([
  [79, 23],
  [119, 39],
  [40, 12],
  [79, 8],
  [30, 4],
])(
  '10,000 items, 40 at a time, in %d columns and %d rows: what is at work, every line fits',
  (columns, rows) => {
    const lines = frameOf(fleetInMiddle, fleet[middle]?.[0] ?? 0, rows, columns)
    expect(lines.length).toBeLessThanOrEqual(rows)
    for (const line of lines) expect([...line].length, line).toBeLessThanOrEqual(columns)
    expect(lines.join('\n')).toMatch(/hosts /)
    if (rows < 20) return
    expect(lines.join('\n')).toMatch(/\d+\/10000 items, \d+ failed/)
    const shown = lines.filter((line) => /^ {2}\S \[/.test(line)).length
    const hidden = Number(/and (\d+) more running/.exec(lines.join('\n'))?.[1] ?? 0)
    expect(shown + hidden).toBe(fleetInMiddle.stepOf('hosts')?.inner.size)
  },
)

test('items that have ended are not kept', () => {
  expect(fleetInMiddle.stepOf('hosts')?.inner.size).toBeLessThanOrEqual(41)
  expect(stateAfter(fleet).stepOf('hosts')?.inner.size).toBe(0)
})

test('who waits for a person is seen among hundreds that work', () => {
  const asked: readonly Moment[] = Array.from({ length: 300 }, (_, index): readonly Moment[] => [
    [0, { type: 'step_started', path: `look/branch_${index}`, action: 'core/approve' }],
    ...(index === 250
      ? ([[0, { type: 'waiting', path: 'look/branch_250', reason: 'approval', message: 'Go on?' }]] as const)
      : []),
  ]).flat()
  const steps = [{ path: 'look', action: 'parallel' }]
  const begun: readonly Moment[] = [
    [0, { type: 'run_started', runbook: 'many', steps }],
    [0, { type: 'step_started', path: 'look', action: 'parallel' }],
    ...asked,
  ]
  expect(frameAfter(begun, 1000)).toContainEqual(expect.stringMatching(/◷ branch_250 .*asks: Go on\?/))
})

test('a run that is resumed: what had ended well stays, the rest begins anew', () => {
  const again: readonly Moment[] = [
    ...nestedRun,
    [60_000, { type: 'run_finished', status: 'interrupted' }],
    [90_000, nestedRun[0]?.[1] as Moment[1]],
  ]
  const lines = frameAfter(again, 91_000)
  expect(lines).toContainEqual('! optional  TooManyFailures: 2 of 3 items failed  0.9s')
  expect(lines).toContainEqual('✔ export    caught AccessDenied: the session is private  0.5s')
  expect(lines).toContainEqual('· setup     Make everything')
  const goesOn: Moment = [91_000, { type: 'step_started', path: 'setup', action: 'block' }]
  const state = stateAfter([...again, goesOn])
  expect(state.stepOf('setup/application')?.status).toBe('succeeded')
  expect(state.stepOf('setup/agent')?.status).toBe('pending')
})

const plain = (
  moments: readonly Moment[],
  secrets: readonly string[] = [],
  state = createRunTree(),
): readonly string[] => {
  const lines: string[] = []
  const follower = createPlainLines(state, (text) => lines.push(text), createMask(secrets))
  for (const event of timed(moments)) {
    state.take(event)
    follower.take(event)
  }
  return lines.map((line) => line.replace(/^\d\d:\d\d:(\d\d) (.*)\n$/s, '$1 $2'))
}

test('plain lines: one for each event that matters', () => {
  expect(plain(busyRun)).toEqual([
    '00 run run_20261120_030000_abcdef of diagnose started, 5 steps',
    '00 application: started (rum/application/create)',
    '00 application: succeeded after 0.2s',
    '00 optional: skipped, condition: inputs.all',
    '00 checks: started (monit/tools/invoke)',
    '00 checks: 20 items in 3 groups',
    '01 checks/group-2: attempt 1 failed, will be retried: RequestTooFrequently: slow down',
    expect.stringMatching(/^01 checks\/group-2: refused as too frequent: retries in 10s, at \d\d:\d\d:11$/),
  ])
})

test('plain lines tell once how a batch is split that is repeated until something holds', () => {
  const split = (path: string, items: number): Moment => [
    0,
    { type: 'groups_counted', path, groups: Math.ceil(items / 8), items },
  ]
  const moments: readonly Moment[] = [
    [0, { type: 'step_started', path: 'checks', action: 'monit/tools/invoke' }],
    split('checks', 20),
    split('checks/poll-2', 20),
    split('checks/poll-3', 20),
    split('checks/poll-3', 12),
    split('checks/poll-4', 20),
    split('checks/poll-5', 20),
  ]
  expect(plain(moments).slice(1)).toEqual([
    '00 checks: 20 items in 3 groups',
    '00 checks/poll-3: 12 items in 2 groups',
    '00 checks/poll-4: 20 items in 3 groups',
  ])
})

test('the groups of a batch that is repeated are counted at every poll', () => {
  const group = (path: string): Moment => [0, { type: 'attempt_succeeded', path, attempt: 1 }]
  const state = stateAfter([
    [0, { type: 'step_started', path: 'checks', action: 'monit/tools/invoke' }],
    [0, { type: 'groups_counted', path: 'checks/poll-2', groups: 3, items: 20 }],
    group('checks/poll-2/group-1'),
    group('checks/poll-2/group-2'),
  ])
  expect(state.stepOf('checks')?.progress).toMatchObject({ total: 3, done: 2 })
})

test('plain lines say nothing of waiting for a person where all is approved in advance', () => {
  const until = beginning + 86_400_000
  const yes = { approved: true, by: systemUserNamed('ada'), comment: 'approved in advance' }
  const moments: readonly Moment[] = [
    [0, { type: 'waiting', path: 'ask', reason: 'approval', message: 'Go on?', until }],
    [0, { type: 'answered', path: 'ask', ...yes }],
  ]
  expect(plain(moments, [], createRunTree({ approvesAll: true }))).toEqual([
    '00 ask: asks: Go on?',
    '00 ask: approved by ada: approved in advance',
  ])
  expect(plain(moments)[0]).toMatch(/^00 ask: awaiting approval until .* \(1d 00h left\): Go on\?$/)
})

test('plain lines stay one line each, and hide what is masked', () => {
  const error = { code: 'InternalError', message: 'first\nsecond \u001b[2J secret-value' }
  const failed: Moment = [
    300,
    { type: 'step_finished', path: 'checks', status: 'failed', attempts: 1, error },
  ]
  const lines = plain([...busyRun.slice(0, 1), failed], ['secret-value'])
  expect(lines.at(-1)).toBe('00 checks: failed: InternalError: first second \\x1b[2J (masked)')
})

/** A terminal that keeps what is written to it. */
function fakeTerminal(): { io: Io; stream: OutputStream; written: string[]; exit(): void } {
  const written: string[] = []
  const exits = new Set<() => void>()
  const stream = { write: (text: string) => written.push(text), isTTY: true, columns: 80, rows: 24 }
  const io = {
    stdin: new PassThrough(),
    stderr: stream,
    env: { LANG: 'C.UTF-8' },
    onExit(listener: () => void) {
      exits.add(listener)
      return () => exits.delete(listener)
    },
  } as unknown as Io
  return { io, stream, written, exit: () => exits.forEach((listener) => void listener()) }
}

const hide = '\u001b[?25l'
const show = '\u001b[?25h'

test.each([true, false])('the live view gives the cursor back when it ends (kept: %s)', (isKept) => {
  const { view, written, exit } = live(stateAfter(busyRun))
  expect(written[0]).toBe(hide)
  view.end({ isKept })
  expect(written.at(-1)).toBe(show)
  const count = written.length
  exit()
  expect(written).toHaveLength(count)
})

test('the live view gives the cursor back when the process ends under it', () => {
  const { view, written, exit } = live(stateAfter(busyRun))
  exit()
  expect(written.at(-1)).toBe(show)
  view.end({ isKept: false })
})

/** The live view of a run on a terminal of its own. */
function live(state: RunTree) {
  const terminal = fakeTerminal()
  const view = createLiveView(state, terminal.io, plainPaint, createMask(), 'Ctrl-C stops')
  return { ...terminal, view }
}

/** Clock and timers stand still until they are told to go on. */
function stopClock(): void {
  vi.useFakeTimers({ now: beginning })
  onTestFinished(() => {
    vi.useRealTimers()
  })
}

test('the live view redraws ten times a second at most, however much happens', () => {
  stopClock()
  const state = createRunTree()
  const { view, written } = live(state)
  for (const event of timed(longRun(500, 400))) {
    state.take(event)
    view.take(event)
  }
  vi.advanceTimersByTime(1000)
  view.end({ isKept: true })
  expect(written.length - 2).toBe(11)
  const lines = stripVTControlCharacters(written.join('')).split('\n')
  for (const line of lines) expect([...line].length).toBeLessThan(80)
})

test.each([
  ['that grows and shrinks', fleetRun({ items: 40, parallel: 9, stepMs: 700, others: 3 })],
  ['with branches and questions', askingRun],
])('the screen always shows the whole frame, and nothing of an earlier one: a run %s', (_, moments) => {
  stopClock()
  const { io, stream } = fakeTerminal()
  const screen = createScreen()
  stream.write = screen.write
  const state = createRunTree()
  const view = createLiveView(state, io, plainPaint, createMask(), 'Ctrl-C stops')
  const events = timed(moments)
  let taken = 0
  const heights = new Set<number>()
  for (let tick = 0; taken < moments.length; tick++) {
    vi.advanceTimersByTime(100)
    const expected = frameOf(state, (tick + 1) * 100, 23, 79, tick)
    heights.add(expected.length)
    expect(screen.rows().slice(0, -1).join('\n').trimEnd()).toBe(expected.join('\n'))
    for (; Date.parse(events[taken]?.at ?? '9999') <= Date.now(); taken++)
      state.take(events[taken] as TimedRunEvent)
  }
  expect(heights.size).toBeGreaterThan(2)
  view.end({ isKept: false })
  expect(screen.rows().join('')).toBe('')
})

test('plain signs where the terminal knows no others', () => {
  expect(chooseSymbols({ TERM: 'linux', LANG: 'C.UTF-8' }).succeeded).toBe('+')
  expect(chooseSymbols({ LANG: 'de_DE.ISO-8859-1' }).succeeded).toBe('+')
  expect(chooseSymbols({}).succeeded).toBe('✔')
})
