import type { ErrorCode } from '../../../core/errors.ts'
import type { Plan } from '../../../core/plan.ts'
import { RunbookError } from '../../../core/run-error.ts'
import type { EventRecord } from '../../../core/triggers/event-record.ts'
import { isRefused } from '../connection-error.ts'
import type { OfferOrder, OffersOrder } from './messages.ts'
import { mostBytes, type OrderedOffer } from './order-of.ts'

/** Sends events together: all that come while an answer is awaited are one update, since a workflow takes few at a time. */
export interface OfferQueue {
  take(ordered: OrderedOffer): Promise<EventRecord>
}

/** In characters as JSON: compressed it is less than what a server takes. One that is larger goes alone. */
const mostLength = 1_000_000
const mostOffers = 50

interface Waiting extends OrderedOffer {
  readonly length: number
  readonly resolve: (event: EventRecord) => void
  readonly reject: (reason: unknown) => void
}

export function createOfferQueue(
  send: (offers: Pick<OffersOrder, 'plans' | 'offers'>) => Promise<readonly EventRecord[]>,
): OfferQueue {
  let waiting: Waiting[] = []
  let isSending = false
  const takeSome = (): readonly Waiting[] => {
    let length = 0
    let bytes = 0
    const fits = waiting.findIndex((one, index) => {
      length += one.length
      bytes += one.bytes
      return index >= mostOffers || (index > 0 && (length > mostLength || bytes > mostBytes))
    })
    return waiting.splice(0, fits < 0 ? waiting.length : fits)
  }
  const work = async (): Promise<void> => {
    isSending = true
    while (waiting.length > 0) {
      const some = takeSome()
      try {
        const events = await send(together(some))
        for (const [index, { resolve, reject }] of some.entries()) {
          const event = events[index]
          if (event) resolve(event)
          else reject(new Error('an event was left without an answer'))
        }
      } catch (error) {
        for (const { reject } of some) reject(error)
        if (!isForAll(error)) continue
        for (const { reject } of waiting) reject(error)
        waiting = []
      }
    }
    isSending = false
  }
  return {
    take(ordered) {
      return new Promise((resolve, reject) => {
        waiting.push({ ...ordered, length: JSON.stringify(ordered).length, resolve, reject })
        if (!isSending) void work()
      })
    },
  }
}

const unanswered: readonly ErrorCode[] = ['NoWorker', 'CodeCannotReplay', 'BuildIsGone']

/** Those that wait behind would have to wait as long for the same: nobody is there. What is refused concerns itself alone. */
function isForAll(error: unknown): boolean {
  if (!RunbookError.is(error)) return false
  return unanswered.includes(error.code) || (error.code === 'TemporalUnavailable' && !isRefused(error))
}

/** One list of plans for all of them. */
function together(some: readonly OrderedOffer[]): Pick<OffersOrder, 'plans' | 'offers'> {
  const plans: Plan[] = []
  const placeOf = (plan: Plan | undefined): number => {
    if (!plan) return -1
    const place = plans.findIndex(({ hash }) => hash === plan.hash)
    return place < 0 ? plans.push(plan) - 1 : place
  }
  const offers = some.map(
    ({ plans: own, offer }): OfferOrder => ({
      ...offer,
      candidates: offer.candidates.map((candidate) =>
        'because' in candidate ? candidate : { ...candidate, plan: placeOf(own[candidate.plan]) },
      ),
    }),
  )
  return { plans, offers }
}
