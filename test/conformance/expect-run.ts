import { expect } from 'vitest'
import type { ObservedRun } from '../../src/testing/index.ts'
import type { ExpectedRun } from './run-case.ts'

/** Compares what a case states of a run with what was seen; what it does not state can be anything. */
export function expectRun(seen: ObservedRun, expected: ExpectedRun): void {
  const { status, outputs, error, warnings, calls, ends, left, waits, log } = expected
  // Together, so that a run that ended in another way says why.
  expect({ status: seen.status, error: seen.error }).toMatchObject({
    status,
    ...(error === undefined ? {} : { error }),
  })
  if (outputs) expect(seen.outputs).toEqual(outputs)
  if (warnings) expect([...seen.warnings].sort()).toEqual([...warnings].sort())
  const { 'warnings-named': named, 'warnings-left-out': leftOut } = expected
  if (named !== undefined) expect(seen.warnings).toHaveLength(named)
  if (leftOut !== undefined) expect(seen.warningsLeftOut).toBe(leftOut)
  if (calls !== undefined) expect(inOrder(seen.calls, calls)).toBe(calls.trim())
  if (ends) expect(pick(seen.ends, Object.keys(ends), 'never')).toEqual(ends)
  if (left) expect(pick(seen.left, Object.keys(left), undefined)).toEqual(left)
  if (waits) expect(byPath(seen.waits)).toEqual(byPath(waits))
  if (expected.asked) expect(byPath(seen.asked)).toEqual(byPath(expected.asked))
  if (log) expect(byPath(seen.log)).toEqual(byPath(log))
}

function pick<T, U>(
  from: Readonly<Record<string, T>>,
  keys: readonly string[],
  otherwise: U,
): Record<string, T | U> {
  return Object.fromEntries(keys.map((key) => [key, from[key] ?? otherwise]))
}

/** Sorted by path only: what happens on one path keeps its order. */
function byPath(lines: readonly string[]): readonly string[] {
  const pathOf = (line: string): string => line.split(' ', 1)[0] ?? ''
  return [...lines].sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : pathOf(a) > pathOf(b) ? 1 : 0))
}

/** The calls written as in the case: those in brackets there are put into the order of the case. */
function inOrder(calls: readonly string[], expected: string): string {
  const rest = [...calls]
  const groups = [...expected.matchAll(/\(([^)]*)\)|[^\s()]+/g)].map(([whole, inside]) => {
    if (inside === undefined) return rest.shift() ?? ''
    const wanted = inside.trim().split(/\s+/)
    const taken = rest.splice(0, wanted.length)
    const isSame = [...taken].sort().join(' ') === [...wanted].sort().join(' ')
    return isSame ? whole : `(${taken.join(' ')})`
  })
  return [...groups, ...rest].join(' ').trim()
}
