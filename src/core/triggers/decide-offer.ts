import { type Concurrency, concurrencyOf } from '../concurrency-key.ts'
import type { EventDecision } from './event-record.ts'
import type { Candidate, Offer, WillingCandidate } from './offer.ts'
import { type Refusal, refuseStart } from './refuse-start.ts'
import type { StartMemory, TriggerName } from './start-memory.ts'
import { triggerText } from './trigger-text.ts'

/** What an engine does about an offer: all of it, or nothing. */
export interface DecidedOffer {
  /** For each candidate, in order. */
  readonly decisions: readonly EventDecision[]
  /** To be started, and remembered. */
  readonly starts: readonly DecidedStart[]
  /** The triggers that had too many events. */
  readonly startLimits: readonly ReachedStartLimit[]
}

/** A run that is to be started. */
export interface DecidedStart {
  readonly runId: string
  readonly candidate: WillingCandidate
  /** No other run of the runbook goes on for it: one that does is to end first. */
  readonly concurrencyKey?: string
}

/** A trigger that had more events than it may start runs. */
export interface ReachedStartLimit extends TriggerName {
  readonly message: string
  /** Nobody has been told of the trigger for a whole period: now they are, and that is remembered. */
  readonly isToTell: boolean
}

/** What deciding takes from outside. */
export interface DecideOptions {
  /** Unix time in milliseconds. */
  readonly nowMs: number
  /** The same, RFC 3339. */
  readonly now: string
  /** How long a dedupe key is remembered, in milliseconds. */
  readonly keepKeysMs: number
  readonly createRunId: () => string
}

/**
 * Decides what an event starts. A trigger that wants to starts a run where nothing is paused, its dedupe key is new, its
 * cooldown is over, it has started fewer runs than it may, and no run holds its concurrency key. One event starts a
 * runbook once at most, by the first of its triggers that may.
 */
export function decideOffer(offer: Offer, memory: StartMemory, options: DecideOptions): DecidedOffer {
  const starts: DecidedStart[] = []
  const startLimits: ReachedStartLimit[] = []
  const decide = (candidate: Candidate): EventDecision => {
    const { runbook, trigger } = candidate
    if ('because' in candidate) return candidate
    const runId = options.createRunId()
    const wanted = { candidate, concurrency: concurrencyFor(candidate, runId, options.now) }
    const refusal = refuseAgain(candidate, starts) ?? refuseStart(wanted, memory, options)
    if (refusal) {
      if (refusal.because === 'start_limit_reached') {
        const isToTell = isUntold(candidate, memory, options.nowMs)
        startLimits.push({ runbook, trigger, message: refusal.message, isToTell })
      }
      return { runbook, trigger, ...refusal }
    }
    const { concurrency } = wanted
    starts.push({ runId, candidate, ...(concurrency && { concurrencyKey: concurrency.key }) })
    return { runbook, trigger, run_id: runId }
  }
  return { decisions: offer.candidates.map(decide), starts, startLimits }
}

/** Another trigger of the runbook was faster. */
function refuseAgain({ runbook }: Candidate, starts: readonly DecidedStart[]): Refusal | undefined {
  const started = starts.find(({ candidate }) => candidate.runbook === runbook)
  if (!started) return undefined
  const message = `${triggerText(started.candidate.trigger)} has started the runbook for this event`
  return { because: 'duplicate', message, run_id: started.runId }
}

function isUntold(candidate: WillingCandidate, memory: StartMemory, nowMs: number): boolean {
  const lastMs = memory.lastNotifiedStartLimit(candidate)
  return lastMs === undefined || Math.abs(nowMs - lastMs) >= candidate.maxStarts.perMs
}

function concurrencyFor(
  { plan, inputs }: WillingCandidate,
  id: string,
  now: string,
): Concurrency | undefined {
  return concurrencyOf(plan, inputs, { id, started_at: now })
}
