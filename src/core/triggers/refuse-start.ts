import type { Concurrency } from '../concurrency-key.ts'
import { formatDuration } from '../duration.ts'
import type { DecideOptions } from './decide-offer.ts'
import type { EventDecision, NoStartReason } from './event-record.ts'
import type { WillingCandidate } from './offer.ts'
import type { StartMemory } from './start-memory.ts'

/** Why a trigger that wants to start a run does not. */
export interface Refusal extends Pick<EventDecision, 'run_id' | 'details'> {
  readonly because: NoStartReason
  readonly message: string
}

/** A start that a trigger wants. */
export interface WantedStart {
  readonly candidate: WillingCandidate
  readonly concurrency: Concurrency | undefined
}

type Rule = (wanted: WantedStart, memory: StartMemory, options: DecideOptions) => Refusal | undefined

/** The first of the rules that is against it; undefined where none is. */
export function refuseStart(...about: Parameters<Rule>): Refusal | undefined {
  for (const rule of rules) {
    const refusal = rule(...about)
    if (refusal) return refusal
  }
  return undefined
}

const paused: Rule = (_, memory) =>
  memory.isPaused() ? { because: 'paused', message: 'all triggers are paused' } : undefined

const duplicate: Rule = ({ candidate }, memory, { nowMs, keepKeysMs }) => {
  const { runbook, dedupeKey } = candidate
  const past = dedupeKey === undefined ? undefined : memory.findKey(runbook, dedupeKey)
  if (!past || !isWithin(past.atMs, nowMs, keepKeysMs)) return undefined
  const message = `the key ${JSON.stringify(dedupeKey)} has started a run before`
  return { because: 'duplicate', message, run_id: past.runId }
}

const cooldown: Rule = ({ candidate }, memory, { nowMs }) => {
  if (!candidate.cooldown) return undefined
  const { key, forMs } = candidate.cooldown
  const past = memory.lastStart(candidate.runbook, key)
  if (!past || !isWithin(past.atMs, nowMs, forMs)) return undefined
  const of = key === undefined ? '' : ` for the key ${JSON.stringify(key)}`
  const message = `the last start${of} is not ${formatDuration(forMs)} ago`
  return { because: 'cooldown', message, run_id: past.runId, details: { left_ms: past.atMs + forMs - nowMs } }
}

const startLimit: Rule = ({ candidate }, memory, { nowMs }) => {
  const { count, perMs } = candidate.maxStarts
  const started = memory.countStarts(candidate, nowMs - perMs, nowMs + perMs)
  if (started < count) return undefined
  const message = `the trigger has started ${started} ${started === 1 ? 'run' : 'runs'} within ${formatDuration(perMs)}, and may start ${count}`
  return { because: 'start_limit_reached', message }
}

const concurrent: Rule = ({ candidate, concurrency }, memory) => {
  if (!concurrency || concurrency.onConflict === 'replace') return undefined
  const running = memory.findRunning(candidate.runbook, concurrency.key)
  if (running === undefined) return undefined
  const message = `a run for the concurrency key ${JSON.stringify(concurrency.key)} goes on`
  return { because: 'concurrency', message, run_id: running }
}

const rules: readonly Rule[] = [paused, duplicate, cooldown, startLimit, concurrent]

/** A clock that was set back has left times that are still to come: they count for no longer than others. */
function isWithin(atMs: number, nowMs: number, spanMs: number): boolean {
  return Math.abs(nowMs - atMs) < spanMs
}
