import { expect, it } from 'vitest'
import { RunbookError } from '../../../src/core/run-error.ts'
import type { EventRecord } from '../../../src/core/triggers/event-record.ts'
import { createOfferQueue } from '../../../src/engine/temporal/events/offer-queue.ts'
import type { OrderedOffer } from '../../../src/engine/temporal/events/order-of.ts'

function ordered(id: string, bytes = 100): OrderedOffer {
  const event = { hook: 'h', id, type: 'incident', receivedAtMs: 0 }
  return { plans: [], offer: { event, candidates: [] }, bytes }
}

/** What is sent together; what `broken` names is refused with `error`. */
function open(broken?: string, error: unknown = new Error('too large')) {
  const orders: string[][] = []
  const queue = createOfferQueue(async ({ offers }) => {
    const ids = offers.map(({ event }) => event.id)
    orders.push(ids)
    await Promise.resolve()
    if (broken !== undefined && ids.includes(broken)) throw error
    return ids.map((event_id) => ({ event_id }) as EventRecord)
  })
  const offer = (...offers: readonly OrderedOffer[]): Promise<readonly string[]> =>
    Promise.all(
      offers.map((one) =>
        queue.take(one).then(
          () => 'taken',
          () => 'refused',
        ),
      ),
    )
  return { orders, offer }
}

it('sends events together, and alone where what they start is large', async () => {
  const { orders, offer } = open()
  await offer(
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
])('an order that is refused takes nobody along who waits behind: %s', async (_, error) => {
  const { offer } = open('first', error)
  expect(await offer(ordered('first'), ordered('behind'))).toEqual(['refused', 'taken'])
})

it('where nobody is there, nobody waits for the same once more', async () => {
  const { orders, offer } = open('first', new RunbookError('NoWorker', 'nobody'))
  expect(await offer(ordered('first'), ordered('behind'))).toEqual(['refused', 'refused'])
  expect(orders).toEqual([['first']])
})
