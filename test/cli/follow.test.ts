import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import type { Io, OutputStream } from '../../src/cli/io.ts'
import { drawFrame } from '../../src/cli/run/follow/frame.ts'
import { createLiveView } from '../../src/cli/run/follow/live-view.ts'
import { createPlainLines } from '../../src/cli/run/follow/plain-lines.ts'
import { createRunState, type RunState } from '../../src/cli/run/follow/run-state.ts'
import { createMask } from '../../src/cli/terminal/mask.ts'
import { plainPaint } from '../../src/cli/terminal/paint.ts'
import { chooseSymbols } from '../../src/cli/terminal/symbols.ts'
import { beginning, busyRun, longRun, loopRun, type Moment, timed } from './events/recorded.ts'

const style = { paint: plainPaint, symbols: chooseSymbols({ LANG: 'C.UTF-8' }) }

function stateAfter(moments: readonly Moment[]): RunState {
  const state = createRunState()
  for (const event of timed(moments)) state.take(event)
  return state
}

function frameAfter(moments: readonly Moment[], atMs: number, rows = 23): readonly string[] {
  return drawFrame(stateAfter(moments), {
    ...style,
    now: beginning + atMs,
    tick: 0,
    rows,
    note: 'Ctrl-C stops',
  })
}

test('a run at work: states, progress, what is waited for and until when', () => {
  expect(frameAfter(busyRun, 4500)).toEqual([
    'diagnose  First look  4.5s',
    '',
    '✔ application  Create the application  0.2s',
    '– optional     skipped: inputs.all',
    '⠋ checks       Run the tools  ███░░░░░░░ 1/3 groups  4.3s',
    expect.stringMatching(/^ {4}◷ group 2 refused as too frequent: repeats in 7s, at \d\d:\d\d:11$/),
    '· hosts        monit/preview/sync',
    '· publish      incident/post-mortem/status/reset',
    '',
    '2 of 5 steps · Ctrl-C stops',
  ])
})

test('the countdown runs down, and a wait that is over is gone', () => {
  const waitAt = (atMs: number): string | undefined =>
    frameAfter(busyRun, atMs).find((line) => line.includes('◷'))
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

test('a loop: how far it is, how many failed, the first that wait', () => {
  const lines = frameAfter(loopRun, 3000)
  expect(lines).toContainEqual(expect.stringContaining('█████░░░░░ 3/6 items, 1 failed'))
  const waits = lines.filter((line) => line.includes('◷'))
  expect(waits).toEqual([
    expect.stringContaining('item 3 waits for the rate budget of the account, goes on in 57s'),
    expect.stringContaining('item 4 repeats in 2s'),
    expect.stringContaining('and 1 more wait'),
  ])
  expect(waits[1]).toContain('after overloaded: the agent is busy')
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

const plain = (moments: readonly Moment[], secrets: readonly string[] = []): readonly string[] => {
  const state = createRunState()
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
    '01 checks/group-2: attempt 1 failed, will be repeated: RequestTooFrequently: slow down',
    expect.stringMatching(/^01 checks\/group-2: refused as too frequent: repeats in 10s, at \d\d:\d\d:11$/),
  ])
})

test('plain lines stay one line each, and hide what is masked', () => {
  const failed: Moment = [
    300,
    {
      type: 'step_finished',
      path: 'checks',
      status: 'failed',
      attempts: 1,
      error: { code: 'InternalError', message: 'first\nsecond \u001b[2J secret-value' },
    },
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
  const { io, written, exit } = fakeTerminal()
  const view = createLiveView(stateAfter(busyRun), io, plainPaint, createMask())
  expect(written[0]).toBe(hide)
  view.end({ isKept })
  expect(written.at(-1)).toBe(show)
  const count = written.length
  exit()
  expect(written).toHaveLength(count)
})

test('the live view gives the cursor back when the process ends under it', () => {
  const { io, written, exit } = fakeTerminal()
  const view = createLiveView(stateAfter(busyRun), io, plainPaint, createMask())
  exit()
  expect(written.at(-1)).toBe(show)
  view.end({ isKept: false })
})

test('the live view redraws at most ten times a second, in lines that fit', async () => {
  const { io, written } = fakeTerminal()
  const state = createRunState()
  const view = createLiveView(state, io, plainPaint, createMask())
  const startedAt = Date.now()
  for (const event of timed(longRun(500, 400))) {
    state.take(event)
    view.take(event)
  }
  await new Promise((resolve) => setTimeout(resolve, 350))
  view.end({ isKept: true })
  const frames = written.length - 2
  expect(frames).toBeGreaterThan(0)
  expect(frames).toBeLessThanOrEqual((Date.now() - startedAt) / 100 + 1)
  const lines = stripVTControlCharacters(written.join('')).split('\n')
  for (const line of lines) expect([...line].length).toBeLessThan(80)
})

test('plain signs where the terminal knows no others', () => {
  expect(chooseSymbols({ TERM: 'linux', LANG: 'C.UTF-8' }).succeeded).toBe('+')
  expect(chooseSymbols({ LANG: 'de_DE.ISO-8859-1' }).succeeded).toBe('+')
  expect(chooseSymbols({}).succeeded).toBe('✔')
})
