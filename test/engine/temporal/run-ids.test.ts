import { expect, it } from 'vitest'
import { runIdOfEvent, runIdOfKey } from '../../../src/engine/temporal/client/start-options.ts'

const event = { hook: 'incidents', id: 'e-1', receivedAtMs: Date.parse('2026-11-21T09:00:00Z') }

it.each([{ runbook: 'look' }, { runbook: 'look', dedupeKey: 'inc-1' }])(
  'two task queues have a run each for the same event: %j',
  (candidate) => {
    const idOn = (taskQueue: string): string =>
      runIdOfEvent(candidate, event, { taskQueue, keepKeysMs: 1000 })
    expect(idOn('prod')).toBe(idOn('prod'))
    expect(idOn('prod')).not.toBe(idOn('staging'))
  },
)

it('the id of a key that a person gives is the same for ever', () => {
  expect(runIdOfKey('inc-1')).toBe('run_inc-1_186608b239fa')
})
