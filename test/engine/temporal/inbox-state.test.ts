import { expect, it } from 'vitest'
import type { Listening } from '../../../src/core/host/index.ts'
import {
  inboxState,
  keepEvent,
  markTaken,
  nextEvent,
} from '../../../src/engine/temporal/workflow/run/inbox-state.ts'

const event = (id: string, body = 'small') => ({ hook: 'deploys', id, receivedAtMs: 0, body })
const listening = { hook: 'deploys' } as Listening

it('an event is kept once, and not again after a step has taken it', () => {
  const state = inboxState(undefined, 0)
  expect(keepEvent(state, event('1'))).toBe(true)
  expect(keepEvent(state, event('1'))).toBe(false)
  markTaken(state, event('1'))
  expect(keepEvent(state, event('1'))).toBe(false)
  expect(state).toMatchObject({ kept: [], taken: ['deploys/1'], dropped: 0 })
  expect(keepEvent(inboxState(state, 1), event('1'))).toBe(false)
})

it('each step sees each event of its hook once, the oldest first', () => {
  const state = inboxState(undefined, 0)
  for (const one of [event('1'), { ...event('2'), hook: 'other' }, event('3')]) keepEvent(state, one)
  const seen = new WeakMap<Listening, Set<string>>()
  const next = (step: Listening): string | undefined => nextEvent(state, step, seen)?.id
  expect([next(listening), next(listening), next(listening)]).toEqual(['1', '3', undefined])
  expect(next({ ...listening })).toBe('1')
})

it('the newest events are kept, as many and as much as fits, and the others are counted', () => {
  const state = inboxState(undefined, 0)
  for (let id = 0; id < 510; id++) keepEvent(state, event(String(id)))
  expect(state.kept.map(({ id }) => Number(id))).toEqual(
    Array.from({ length: 500 }, (_, place) => place + 10),
  )
  expect(state.dropped).toBe(10)
  keepEvent(state, event('large', 'x'.repeat(262_000)))
  expect(state.kept.at(-1)?.id).toBe('large')
  expect(state.kept.length + state.dropped).toBe(511)
  expect(state.kept.length).toBeLessThan(10)
})
