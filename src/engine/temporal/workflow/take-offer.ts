import {
  type DecidedOffer,
  decideOffer,
  type ReachedStartLimit,
} from '../../../core/triggers/decide-offer.ts'
import type { EventDecision, EventRecord } from '../../../core/triggers/event-record.ts'
import type { Offer, WillingCandidate } from '../../../core/triggers/offer.ts'
import type { KeptRun } from '../concurrency/messages.ts'
import type { OfferOrder, OffersOrder, WillingOrder } from '../events/messages.ts'
import type { RunStart } from '../messages.ts'
import {
  type EventLedger,
  findEvent,
  memoryOf,
  type RememberedStart,
  rememberTold,
  removeEvent,
  writeEvent,
} from './event-ledger.ts'
import { handOverNotice } from './hand-over-notice.ts'
import { startDecided } from './start-decided.ts'

/** One event, with what all of its order have in common. */
export interface TakenOffer {
  readonly offer: OfferOrder
  readonly order: OffersOrder
  /** Told of what people are told of. */
  readonly onStartLimit?: (startLimit: ReachedStartLimit) => void
}

/** What is decided, and by which orders. */
export interface DecidedTaken extends DecidedOffer {
  readonly nowMs: number
  orderOf(candidate: WillingCandidate): WillingOrder | undefined
}

/** What is decided of an event now; nothing is remembered and nothing started. */
export function decideTaken(ledger: EventLedger, { offer, order }: TakenOffer): DecidedTaken {
  const willing = new Map<WillingCandidate, WillingOrder>()
  const candidates = offer.candidates.map((candidate) => {
    if ('because' in candidate) return candidate
    const plan = order.plans[candidate.plan]
    if (!plan) throw new Error(`there is no plan ${candidate.plan} in the order`)
    const whole: WillingCandidate = { ...candidate, plan }
    willing.set(whole, candidate)
    return whole
  })
  const runIds = [...willing.values()].map(({ runId }) => runId)
  const memory = memoryOf(ledger, (runbook, key) => {
    const held = [...willing.values()].find((one) => one.runbook === runbook && one.alone?.key === key)
    return held?.alone?.running
  })
  const nowMs = Date.now()
  const whole: Offer = { event: { body: null, ...offer.event }, candidates }
  const decided = decideOffer(whole, memory, {
    nowMs,
    now: new Date(nowMs).toISOString(),
    keepKeysMs: order.keepKeysMs,
    // Asked for each that is willing, in order.
    createRunId: () => runIds.shift() ?? '',
  })
  return { ...decided, nowMs, orderOf: (candidate: WillingCandidate) => willing.get(candidate) }
}

/**
 * Records an event, and starts what it starts. Whoever offers the same one again is answered as the first time.
 * `pending` are those that are being started: they are waited for.
 */
export async function takeOffer(
  ledger: EventLedger,
  pending: Map<string, Promise<unknown>>,
  taken: TakenOffer,
): Promise<EventRecord> {
  const { hook, id } = taken.offer.event
  const name = JSON.stringify([hook, id])
  // Whether that came to an end or not is seen afterwards.
  while (pending.has(name)) await pending.get(name)
  const known = findEvent(ledger, hook, id)
  if (known) {
    const again = { ...known, deliveries: known.deliveries + 1 }
    writeEvent(ledger, again)
    return again
  }
  const work = begin(ledger, taken)
  const settled = work.then(
    () => undefined,
    () => undefined,
  )
  pending.set(name, settled)
  try {
    return await work
  } finally {
    pending.delete(name)
  }
}

async function begin(ledger: EventLedger, taken: TakenOffer): Promise<EventRecord> {
  const { event } = taken.offer
  const { decisions, starts, startLimits, nowMs, orderOf } = decideTaken(ledger, taken)
  const told = startLimits.filter(({ isToTell }) => isToTell)
  for (const startLimit of told) rememberTold(ledger, startLimit, nowMs)
  const telling = notifyStartLimits(told, taken, nowMs)
  const record = (now: readonly EventDecision[]): EventRecord => ({
    hook: event.hook,
    event_id: event.id,
    type: event.type,
    received_at: new Date(event.receivedAtMs).toISOString(),
    deliveries: 1,
    starts: now.map(asRecorded),
    ...(event.body === undefined ? {} : { body: event.body }),
  })
  const first = record(decisions)
  writeEvent(ledger, first)
  try {
    const refusals = await Promise.all(
      starts.map(async ({ runId, candidate }) => {
        const remembered = rememberedAs(runId, candidate, nowMs, taken.order.keepKeysMs)
        ledger.starts.push(remembered)
        const order = orderOf(candidate)
        const kept = order && keptRun(order, candidate, nowMs, taken)
        const forget = (): void => {
          ledger.starts = ledger.starts.filter((one) => one !== remembered)
        }
        const refusal =
          kept &&
          (await startDecided(kept, order.alone).catch((thrown: unknown) => {
            forget()
            throw thrown
          }))
        if (refusal) forget()
        return refusal && { ...refusal, runId }
      }),
    )
    const amended = record(
      decisions.map(({ run_id, ...decision }) => {
        const refusal = refusals.find((one) => one !== undefined && one.runId === run_id)
        if (!refusal || decision.because !== undefined) return { ...decision, ...(run_id && { run_id }) }
        const { runId: _, ...why } = refusal
        return { ...decision, ...why }
      }),
    )
    writeEvent(ledger, amended)
    await telling
    return amended
  } catch (thrown) {
    // What was started will be there already when the event comes again.
    removeEvent(ledger, first)
    throw thrown
  }
}

async function notifyStartLimits(
  startLimits: readonly ReachedStartLimit[],
  { order: { abilities, actionQueue }, onStartLimit }: TakenOffer,
  sinceMs: number,
): Promise<void> {
  await Promise.all(
    startLimits.map(async (startLimit) => {
      const { runbook, trigger, message } = startLimit
      onStartLimit?.(startLimit)
      const notice = { kind: 'start_limit_reached', runbook, message, sinceMs } as const
      if (abilities?.tellsPeople)
        await handOverNotice(`opsbook-trigger/${runbook}/${trigger}`, { notice, sensitive: [], actionQueue })
    }),
  )
}

/** Of a trigger that was not willing, what was told of it and nothing more. */
function asRecorded({ runbook, trigger, run_id, because, message, details }: EventDecision): EventDecision {
  return {
    runbook,
    trigger,
    ...(run_id === undefined ? {} : { run_id }),
    ...(because === undefined ? {} : { because }),
    ...(message === undefined ? {} : { message }),
    ...(details === undefined ? {} : { details }),
  }
}

function rememberedAs(
  runId: string,
  { runbook, trigger, dedupeKey, cooldown, maxStarts }: WillingCandidate,
  atMs: number,
  keepKeysMs: number,
): RememberedStart {
  const spans = [maxStarts.perMs, cooldown?.forMs ?? 0, dedupeKey === undefined ? 0 : keepKeysMs]
  return {
    runbook,
    trigger,
    runId,
    atMs,
    untilMs: atMs + Math.max(...spans),
    ...(dedupeKey === undefined ? {} : { dedupeKey }),
    ...(cooldown?.key === undefined ? {} : { cooldownKey: cooldown.key }),
  }
}

function keptRun(
  { runId, listed, trigger }: WillingOrder,
  { plan, inputs }: WillingCandidate,
  startedAtMs: number,
  { offer, order }: TakenOffer,
): KeptRun {
  const { hook, id } = offer.event
  const start: RunStart = {
    plan,
    inputs,
    runId,
    startedAtMs,
    startedBy: order.startedBy,
    startedFrom: { kind: 'event', hook, event_id: id, trigger },
    actionQueue: order.actionQueue,
    ...order.abilities,
    ...(order.connection === undefined ? {} : { connection: order.connection }),
  }
  return { start, listed: { ...listed, memo: { ...listed.memo, startedAtMs } } }
}
