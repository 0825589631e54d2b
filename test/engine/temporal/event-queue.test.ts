import { expect, it } from 'vitest'
import { RunbookError } from '../../../src/core/run-error.ts'
import type { EventRecord } from '../../../src/core/triggers/event-record.ts'
import { createEventQueue } from '../../../src/engine/temporal/received-events/event-store.ts'
import type { OrderedEvaluation } from '../../../src/engine/temporal/received-events/order-of.ts'

function ordered(id: string, bytes = 100): OrderedEvaluation {
  const event = { hook: 'h', id, type: 'incident', receivedAtMs: 0 }
  return { plans: {}, evaluation: { event, candidates: [] }, bytes }
}

/** What is sent together; what `broken` names is refused with `error`. */
function open(broken?: string, error: unknown = new Error('too large')) {
  const orders: string[][] = []
  const take = createEventQueue(async ({ evaluations }) => {
    const ids = evaluations.map(({ event }) => event.id)
    orders.push(ids)
    await Promise.resolve()
    if (broken !== undefined && ids.includes(broken)) throw error
    return ids.map((event_id) => ({ event_id }) as EventRecord)
  })
  const evaluation = (...evaluations: readonly OrderedEvaluation[]): Promise<readonly string[]> =>
    Promise.all(
      evaluations.map((one) =>
        take(one).then(
          () => 'taken',
          () => 'refused',
        ),
      ),
    )
  return { orders, evaluation }
}

it('sends events together, and alone where what they start is large', async () => {
  const { orders, evaluation } = open()
  await evaluation(
    ordered('first'),
    ordered('a', 100_000),
    ordered('b', 100_000),
    ordered('large', 1_800_000),
    ordered('c', 200_000),
  )
  expect(orders).toEqual([['first'], ['a', 'b'], ['large'], ['c']])
})

it.each([
  ['what anything else throws', new Error('too large')],
  [
    'what the server refuses',
    new RunbookError('TemporalUnavailable', 'too large', {
      cause: Object.assign(new Error('x'), { code: 8 }),
    }),
  ],
])('an order that is refused does not fail those behind it: %s', async (_, error) => {
  const { evaluation } = open('first', error)
  expect(await evaluation(ordered('first'), ordered('behind'))).toEqual(['refused', 'taken'])
})

it('without a worker, the events that wait fail with the first one', async () => {
  const { orders, evaluation } = open('first', new RunbookError('NoWorker', 'nobody'))
  expect(await evaluation(ordered('first'), ordered('behind'))).toEqual(['refused', 'refused'])
  expect(orders).toEqual([['first']])
})
