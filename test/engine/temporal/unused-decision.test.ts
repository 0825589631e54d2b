import { expect, test } from 'vitest'
import type { RunEvent } from '../../../src/core/events.ts'
import type { RecordedEvent } from '../../../src/core/record/run-record.ts'
import { isUnused } from '../../../src/engine/temporal/resume/decide-continued.ts'

type State = Parameters<typeof isUnused>[0]

const decided: State = { lastSeq: 4, questions: [], resumes: [] }
const resumed: State = { ...decided, lastSeq: 6 }
const by = { name: 'anna', source: 'system' } as const
const at = '2026-01-02T03:04:05.000Z'
const started: RunEvent = { type: 'step_started', path: 'agent', action: 'agents/create' }
const called: RunEvent = { type: 'attempt_started', path: 'agent', attempt: 1, action: 'agents/create' }
const failed = (notSent: boolean, attempt = 1): RunEvent => ({
  type: 'attempt_failed',
  path: 'agent',
  attempt,
  error: { code: 'InvalidInput', message: 'no', notSent },
  is_repeated: false,
})
const asked: State['questions'] = [
  { path: 'sure', message: 'Sure?', shown: '1-0000000000', asked_at: at, status: 'withdrawn', answers: [] },
]

const cases: readonly [name: string, now: State, events: readonly RunEvent[], isUnused: boolean][] = [
  ['nothing was called', resumed, [started, started], true],
  ['nothing happened', decided, [], true],
  ['a call was begun', resumed, [started, called], false],
  ['a call has failed', resumed, [called, failed(false)], false],
  ['a call has failed before it sent anything', resumed, [called, failed(true)], true],
  ['of two calls, one has failed before it sent anything', resumed, [called, failed(true, 2)], false],
  ['a question was asked', { ...resumed, questions: asked }, [started, started], false],
  [
    'the run was changed',
    { ...resumed, resumes: [{ by, at, changes: { number: 1 } } as never] },
    [started, started],
    false,
  ],
  ['the server removed the executions since then', resumed, [], false],
  ['the server removed one of them', resumed, [started], false],
]

test.each(cases)('%s', (_, now, events, expected) => {
  expect(isUnused(decided, now, events.map(recorded))).toBe(expected)
})

function recorded(event: RunEvent, index: number): RecordedEvent {
  return { seq: decided.lastSeq + 1 + index, event: { run_id: 'run', at, ...event } }
}
