import { expect } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import type { PlayedRun } from '../../src/testing/index.ts'
import { expectSafe, expectSameWhenStopped } from '../core/expect-same-when-stopped.ts'
import { loadCase } from '../core/play-case.ts'
import { randomAnswer, randomRunbook } from './random-runbook.ts'

/** Plays a random runbook, which has one outcome, wherever it is stopped. */
export async function tryRandomRun(seed: number): Promise<void> {
  const runCase = { name: `seed ${seed}`, runbook: randomRunbook(seed) }
  // Some are too deep.
  if (!loadCase(runCase).plan) return
  const share = [0.05, 0.15, 0.3][seed % 3] ?? 0
  const played = await expectSameWhenStopped(runCase, (request) => randomAnswer(seed, share, request))
  expect(played.seen.error?.code).not.toBe('InternalDefect')
  expectSafe([played])
  expectDoubtNamed(played)
  expectEndedOnce(played.host.events)
}

/** Nothing in a random runbook catches an unknown outcome. */
function expectDoubtNamed({ seen }: PlayedRun): void {
  if (Object.values(seen.ends).includes('unknown')) expect(seen.status).toBe('unknown')
}

function expectEndedOnce(events: readonly RunEvent[]): void {
  const started = events.flatMap((event) => (event.type === 'step_started' ? [event.path] : []))
  const finished = events.flatMap((event) => (event.type === 'step_finished' ? [event.path] : []))
  expect(new Set(finished).size).toBe(finished.length)
  expect(finished).toEqual(expect.arrayContaining(started))
}
