import { expect, it } from 'vitest'
import { RunbookError } from '../../../src/core/run-error.ts'
import { isResting, type QueueState, takeRefusal } from '../../../src/engine/embedded/queue/queue-state.ts'

const id = 'run_1'

function queueOf(reported: string[], stopping = new AbortController()): QueueState {
  const onRefused = (runId: string): void => void reported.push(runId)
  const queue: Partial<QueueState> = {
    options: { onRefused } as unknown as QueueState['options'],
    stopping,
    refusedUntil: new Map(),
    reported: new Set(),
    interrupted: [],
  }
  return queue as QueueState
}

const rows: readonly {
  readonly kind: 'claim' | 'resume'
  readonly code: ConstructorParameters<typeof RunbookError>[0]
  /** Of two refusals, one after the other. */
  readonly reports: number
  readonly isTriedAgain: boolean
}[] = [
  { kind: 'claim', code: 'RunInUse', reports: 0, isTriedAgain: false },
  { kind: 'claim', code: 'ConcurrencyConflict', reports: 0, isTriedAgain: false },
  { kind: 'claim', code: 'InvalidInput', reports: 2, isTriedAgain: false },
  { kind: 'resume', code: 'RunInUse', reports: 0, isTriedAgain: true },
  { kind: 'resume', code: 'ConcurrencyConflict', reports: 1, isTriedAgain: true },
  { kind: 'resume', code: 'InvalidInput', reports: 1, isTriedAgain: true },
  { kind: 'resume', code: 'RepeatedCrash', reports: 2, isTriedAgain: false },
]

it.each(rows)('a $kind that is refused with $code', ({ kind, code, reports, isTriedAgain }) => {
  const reported: string[] = []
  const queue = queueOf(reported)
  for (let times = 0; times < 2; times++) takeRefusal(queue, id, kind, new RunbookError(code, 'no'))
  expect(reported).toHaveLength(reports)
  expect(queue.interrupted.includes(id)).toBe(isTriedAgain)
  expect(isResting(queue, id)).toBe(true)
})

it('a run that is interrupted since the queue stops is neither reported nor left alone', () => {
  const stopping = new AbortController()
  const reported: string[] = []
  const queue = queueOf(reported, stopping)
  stopping.abort()
  takeRefusal(queue, id, 'resume', new RunbookError('Interrupted', 'stops'))
  expect([reported, queue.interrupted, isResting(queue, id)]).toEqual([[], [], false])
})
