import { randomUUID } from 'node:crypto'
import { concurrencyOf } from '../../../core/concurrency-key.ts'
import type { Plan } from '../../../core/plan.ts'
import { RunbookError } from '../../../core/run-error.ts'
import type { Offer, WillingCandidate } from '../../../core/triggers/offer.ts'
import { systemIdentity } from '../../record/system-user.ts'
import { listedAs } from '../client/listed-as.ts'
import { refuseTooLarge } from '../client/refuse-too-large.ts'
import { runIdOfEvent } from '../client/run-ids.ts'
import { findHolder } from '../client/start-with-concurrency-key.ts'
import type { ClientPorts } from '../client/talk-to-run.ts'
import { lockIdOf } from '../concurrency/lock-id.ts'
import type { ConcurrencyOrder } from '../concurrency/messages.ts'
import { actionQueueOf } from '../connection.ts'
import type { RunStart } from '../messages.ts'
import type { CandidateOrder, OfferOrder } from './messages.ts'
import { trimCandidate } from './trim-candidate.ts'

/** An event as it is sent, and the plans that it names. */
export interface OrderedOffer {
  readonly plans: readonly Plan[]
  readonly offer: OfferOrder
  /** Of all that it wants to start, as it is sent. */
  readonly bytes: number
}

/** What came in is kept up to so many characters as JSON. */
const mostBody = 16_384
/** In bytes as they are sent, of all runs that one order starts: each has its plan with it, and one answer of the workflow starts them. */
export const mostBytes = 1_900_000

/** Writes down what the workflow that keeps events needs to know of one: what takes a server, a hash or chance is done here. */
export async function orderOf(
  { event, candidates }: Offer,
  ports: ClientPorts,
  keepKeysMs: number,
): Promise<OrderedOffer> {
  const plans: Plan[] = []
  let bytes = 0
  const { body, ...rest } = event
  const willing = async (candidate: WillingCandidate): Promise<CandidateOrder> => {
    const { plan, ...order } = candidate
    const { inputs, runbook, trigger } = candidate
    const runId = runIdOfEvent(candidate, event, { taskQueue: ports.taskQueue, keepKeysMs })
    const start: RunStart = {
      plan,
      inputs,
      runId,
      startedAtMs: event.receivedAtMs,
      startedBy: systemIdentity(),
      startedFrom: { kind: 'event', hook: event.hook, event_id: event.id, trigger },
      actionQueue: actionQueueOf(ports.taskQueue),
    }
    // To come again would make it no smaller.
    const refuse = (message: string): CandidateOrder => ({
      runbook,
      trigger,
      because: 'inputs_invalid',
      message,
    })
    try {
      const more = await refuseTooLarge(ports.client, start)
      if (bytes + more > mostBytes) {
        return refuse(
          `all runs of one event take ${mostBytes} bytes at most, and with this one ${bytes + more}`,
        )
      }
      bytes += more
    } catch (thrown) {
      if (!RunbookError.is(thrown)) throw thrown
      return refuse(thrown.message)
    }
    const place = plans.findIndex(({ hash }) => hash === plan.hash)
    const alone = await aloneOf(candidate, start, ports)
    return {
      ...order,
      plan: place < 0 ? plans.push(plan) - 1 : place,
      runId,
      listed: listedAs(start, randomUUID()),
      ...(alone === undefined ? {} : { alone }),
    }
  }
  const orders: CandidateOrder[] = []
  for (const candidate of candidates)
    orders.push('because' in candidate ? trimCandidate(candidate) : await willing(candidate))
  const isKept = JSON.stringify(body).length <= mostBody
  return { plans, offer: { event: isKept ? { ...rest, body } : rest, candidates: orders }, bytes }
}

async function aloneOf(
  { plan, inputs, runbook }: WillingCandidate,
  { runId, startedAtMs }: RunStart,
  ports: ClientPorts,
): Promise<ConcurrencyOrder | undefined> {
  const facts = { id: runId, started_at: new Date(startedAtMs).toISOString() }
  const concurrency = concurrencyOf(plan, inputs, facts)
  if (!concurrency) return undefined
  const { key, onConflict } = concurrency
  const lockId = lockIdOf(ports.taskQueue, runbook, key)
  const running = onConflict === 'replace' ? undefined : await findHolder(ports, lockId)
  return { key, lockId, ...(running === undefined ? {} : { running }) }
}
