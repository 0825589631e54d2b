import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { formatDuration } from '../../src/core/duration.ts'
import { expectRun } from '../conformance/expect-run.ts'
import type { ExpectedRun, RunCase } from '../conformance/run-case.ts'
import { testActions } from '../conformance/test-actions.ts'
import { loadCase, type PlayedCase, type PlayOptions, playCase, startMs } from './play-case.ts'
import { createVirtualClock } from './virtual-clock.ts'

const folder = new URL('../cases/run/', import.meta.url)

const files = readdirSync(folder).map((file) => ({
  file,
  cases: parse(readFileSync(new URL(file, folder), 'utf8')) as readonly RunCase[],
}))

for (const { file, cases } of files) {
  describe(`run/${file}`, () => {
    it.each(cases)('$name', (runCase) => tryCase(runCase))
  })
  const resumed = cases.filter(isResumed)
  if (resumed.length === 0) continue
  describe(`run/${file}, stopped anywhere and resumed`, () => {
    it.each(resumed)('$name', (runCase) => tryResumed(runCase))
  })
}

async function tryCase(runCase: RunCase): Promise<void> {
  const { plan, inputs, findings, problems } = loadCase(runCase)
  expect(findings).toEqual(runCase.findings ?? [])
  expect(problems).toEqual(runCase.problems ?? [])
  if (!plan || problems.length > 0) {
    expect(runCase.expect).toBeUndefined()
    return
  }
  if (!runCase.expect) throw new Error('the case states nothing')
  const played = await playCase(runCase, plan, inputs)
  expectPlayed(played, runCase.expect)
  expectSafe([played])
}

function isResumed(runCase: RunCase): boolean {
  return runCase.expect !== undefined && runCase.cancel === undefined && runCase['not-resumed'] === undefined
}

/**
 * Stops the run after each outcome, and before each passing of time where no call takes any: whatever comes later must
 * come all the same. A read that is given up on its way and made again ends later than it would have.
 */
async function tryResumed(runCase: RunCase): Promise<void> {
  const { plan, inputs } = loadCase(runCase)
  if (!plan) throw new Error('the runbook is refused')
  const whole = await playCase(runCase, plan, inputs)
  for (const stop of stopsOf(runCase, whole)) {
    const clock = createVirtualClock(startMs)
    const stopped = await playCase(runCase, plan, inputs, { clock, stop })
    const isStopped = stopped.seen.status === 'interrupted'
    const again = isStopped
      ? await playCase(runCase, plan, inputs, { clock, journal: stopped.journal })
      : stopped
    const when = `stopped after ${JSON.stringify(stop)}`
    expect(endOf(again), when).toEqual(endOf(whole))
    expect(callsOf(stopped, again), when).toEqual(callsOf(whole))
    if (!takesTime(runCase)) {
      expect(again.tookMs, when).toBe(whole.tookMs)
      expect(whole.seen.waits, when).toEqual(expect.arrayContaining([...again.seen.waits]))
    }
    expectSafe(isStopped ? [stopped, again] : [stopped])
  }
}

function stopsOf(
  runCase: RunCase,
  { journal, jumps }: PlayedCase,
): readonly NonNullable<PlayOptions['stop']>[] {
  if (runCase.stops) return runCase.stops.map((outcomes) => ({ outcomes }))
  return [
    ...Array.from({ length: journal.outcomes.size }, (_, index) => ({ outcomes: index + 1 })),
    ...Array.from({ length: takesTime(runCase) ? 0 : jumps }, (_, index) => ({ jumps: index })),
  ]
}

function expectPlayed({ seen, host, journal, tookMs }: PlayedCase, expected: ExpectedRun): void {
  expectRun(seen, expected)
  const { takes, artifacts, requests = {} } = expected
  if (takes !== undefined) expect(formatDuration(tookMs)).toBe(takes)
  if (artifacts) expect(Object.fromEntries(journal.artifacts)).toEqual(artifacts)
  const made = Object.fromEntries(
    host.calls.map((request) => [`${request.path}#${request.attempt}`, request]),
  )
  expect(made).toMatchObject(requests)
}

/** Whatever the case is about: what may have been made is not made again, and each call has a name of its own. */
function expectSafe(played: readonly PlayedCase[]): void {
  const creates = new Set(testActions.filter(({ safety }) => safety === 'create').map(({ name }) => name))
  const made = played.flatMap(({ host }) => host.calls).filter(({ action }) => creates.has(action))
  const keys = made.map(({ path, attempt }) => `${path}#${attempt}`)
  expect(keys).toEqual([...new Set(keys)])
  expect(played.flatMap(({ host }) => host.contradictions)).toEqual([])
}

function endOf({ seen }: PlayedCase): object {
  const { status, outputs, error, warnings } = seen
  return { status, outputs, code: error?.code, path: error?.path, warnings: [...warnings].sort() }
}

function callsOf(...played: readonly PlayedCase[]): readonly string[] {
  return [...new Set(played.flatMap(({ seen }) => seen.calls))].sort()
}

function takesTime({ answers = {} }: RunCase): boolean {
  return Object.values(answers)
    .flat()
    .some(({ takes, waits }) => takes !== undefined || waits !== undefined)
}

describe('the cases', () => {
  const names = files.flatMap(({ file, cases }) => cases.map(({ name }) => `${file} ${name}`))

  it('are many, and each has a name of its own', () => {
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThanOrEqual(300)
  })
})
