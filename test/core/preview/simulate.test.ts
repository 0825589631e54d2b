import { describe, expect, it } from 'vitest'
import { simulate, type Task } from '../../../src/core/preview/shortest-time.ts'

const tenASecond = [
  { max: 10, lengthMs: 1000 },
  { max: 60, lengthMs: 60_000 },
]

function calls(count: number, limit = 'a'): Task {
  return { kind: 'calls', limit, windows: tenASecond, count }
}
const wait = (ms: number): Task => ({ kind: 'wait', ms })
const sequence = (...tasks: readonly Task[]): Task => ({ kind: 'sequence', tasks })
const together = (atOnce: number, ...tasks: readonly Task[]): Task => ({ kind: 'together', tasks, atOnce })
const maybe = (task: Task): Task => ({ kind: 'maybe', task })

// A place is free one millisecond after the window, since a service may count both ends.
const cases: readonly (readonly [name: string, task: Task, leastMs: number])[] = [
  ['nothing', sequence(), 0],
  ['as many calls as the window takes', calls(10), 0],
  ['one more', calls(11), 1001],
  ['six full seconds', calls(60), 5005],
  ['the minute is full', calls(61), 60_001],
  ['calls without windows', { kind: 'calls', limit: 'a', windows: [], count: 1000 }, 0],
  ['two rate limits do not share', sequence(calls(10, 'a'), calls(10, 'b')), 0],
  ['two steps of one rate limit do', sequence(calls(10), calls(1)), 1001],
  ['a wait frees the window', sequence(calls(10), wait(2000), calls(10)), 2000],
  ['waits at the same time', together(2, wait(3000), wait(5000)), 5000],
  ['waits one after another', together(1, wait(3000), wait(5000)), 8000],
  ['branches share the windows of a limit', together(2, calls(10), calls(1)), 1001],
  [
    'a later branch takes what an earlier one leaves free',
    together(2, sequence(wait(5000), calls(10)), calls(10)),
    5000,
  ],
  ['two of three at a time', together(2, wait(5), wait(5), wait(5)), 10],
  ['many times', { kind: 'repeated', task: calls(5), count: 4, atOnce: 2 }, 1001],
  ['no times', { kind: 'repeated', task: wait(5), count: 0, atOnce: 2 }, 0],
  ['until a time that has passed', sequence(wait(50), { kind: 'until', ms: 20 }), 50],
  ['until a point in time', sequence(wait(50), { kind: 'until', ms: 80 }), 80],
  ['too many to walk through: a bound', calls(600_000), 599_940_000],
]

describe('the shortest time', () => {
  it.each(cases)('%s', (_, task, leastMs) => {
    expect([simulate(task, false).endMs, simulate(task, true).endMs]).toEqual([leastMs, leastMs])
  })

  it('an open condition is left out, or held to be true', () => {
    const task = sequence(calls(10), maybe(calls(1)))
    expect([simulate(task, false).endMs, simulate(task, true).endMs]).toEqual([0, 1001])
  })
})

it('says when each step begins and ends', () => {
  const step = (path: string, task: Task): Task => ({ kind: 'step', path, task })
  const task = sequence(step('first', calls(10)), step('second', calls(11)), step('third', wait(7)))
  expect([...simulate(task, true).spans]).toEqual([
    ['first', { startMs: 0, endMs: 0 }],
    ['second', { startMs: 0, endMs: 2002 }],
    ['third', { startMs: 2002, endMs: 2009 }],
  ])
})

it('walks through a long list without a deep stack', () => {
  const tasks = Array.from({ length: 50_000 }, () => wait(1))
  expect(simulate(sequence(...tasks), false).endMs).toBe(50_000)
})
