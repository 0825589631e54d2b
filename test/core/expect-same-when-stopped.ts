import { expect } from 'vitest'
import {
  createTestJournal,
  createVirtualClock,
  type PlayedRun,
  usualStartMs,
} from '../../src/testing/index.ts'
import type { RunCase } from '../conformance/run-case.ts'
import { testActions } from '../conformance/test-actions.ts'
import { loadCase, type PlayCaseOptions, playCase } from './play-case.ts'

/**
 * Stops the run after each outcome, and before each passing of time where no call takes any: whatever comes later must
 * come all the same. A read that is abandoned on its way and made again ends later than it would have.
 */
export async function expectSameWhenStopped(
  runCase: RunCase,
  answer?: PlayCaseOptions['answer'],
  { remembers = false }: { remembers?: boolean } = {},
): Promise<PlayedRun> {
  const { plan, inputs } = loadCase(runCase)
  if (!plan) throw new Error('the runbook is refused')
  const play = (options: PlayCaseOptions): Promise<PlayedRun> =>
    playCase(runCase, plan, inputs, { ...options, ...(answer ? { answer } : {}) })
  const whole = await play({})
  for (const stop of stopsOf(runCase, whole)) {
    const clock = createVirtualClock(usualStartMs)
    const stopped = await play({ clock, stop, journal: createTestJournal({ remembers }) })
    const isStopped = stopped.seen.status === 'interrupted'
    const again = isStopped ? await play({ clock, journal: stopped.journal }) : stopped
    const when = `stopped after ${JSON.stringify(stop)}`
    expect(endOf(again), when).toEqual(endOf(whole))
    expect(callsOf(stopped, again), when).toEqual(callsOf(whole))
    if (!takesTime(runCase)) {
      expect(again.tookMs, when).toBe(whole.tookMs)
      expect(whole.seen.waits, when).toEqual(expect.arrayContaining([...again.seen.waits]))
    }
    expectSafe(isStopped ? [stopped, again] : [stopped])
  }
  return whole
}

function stopsOf(
  runCase: RunCase,
  { journal, jumps }: PlayedRun,
): readonly NonNullable<PlayCaseOptions['stop']>[] {
  if (runCase.stops) return runCase.stops.map((outcomes) => ({ outcomes }))
  return [
    ...Array.from({ length: journal.outcomes.size }, (_, index) => ({ outcomes: index + 1 })),
    ...Array.from({ length: takesTime(runCase) ? 0 : jumps }, (_, index) => ({ jumps: index })),
  ]
}

/** Whatever the case is about: what may have been made is not made again, and each call has a name of its own. */
export function expectSafe(played: readonly PlayedRun[]): void {
  const creates = new Set(testActions.filter(({ safety }) => safety === 'create').map(({ name }) => name))
  const made = played.flatMap(({ host }) => host.calls).filter(({ action }) => creates.has(action))
  const keys = made.map(({ path, attempt }) => `${path}#${attempt}`)
  expect(keys).toEqual([...new Set(keys)])
  expect(played.flatMap(({ host }) => host.contradictions)).toEqual([])
}

function endOf({ seen }: PlayedRun): object {
  const { status, outputs, error, warnings } = seen
  return { status, outputs, code: error?.code, path: error?.path, warnings: [...warnings].sort() }
}

function callsOf(...played: readonly PlayedRun[]): readonly string[] {
  return [...new Set(played.flatMap(({ seen }) => seen.calls))].sort()
}

function takesTime({ answers = {} }: RunCase): boolean {
  return Object.values(answers)
    .flat()
    .some(({ takes, waits }) => takes !== undefined || waits !== undefined)
}
