import { withoutUndefined } from '../json.ts'
import { type Concurrency, concurrencyOf, heldText } from '../record/concurrency-key.ts'
import { formatDuration } from '../times/duration.ts'
import type { Candidate, MatchedCandidate, RejectedCandidate } from './event-evaluation.ts'
import type { EventDecision, NoStartReason } from './event-record.ts'
import { triggerText } from './schedule-record.ts'

/** What an engine does about an offer: all of it, or nothing. */
export interface DecidedEvent<Matched extends MatchedCandidate = MatchedCandidate> {
  /** For each candidate, in order. */
  readonly decisions: readonly EventDecision[]
  /** To be started, and remembered. */
  readonly starts: readonly DecidedStart<Matched>[]
  /** The triggers that had too many events. */
  readonly startLimits: readonly ReachedStartLimit[]
}

/** A run that is to be started. */
export interface DecidedStart<Matched extends MatchedCandidate = MatchedCandidate> {
  readonly runId: string
  readonly candidate: Matched
  /** No other run of the runbook may have it: a run in progress ends first. */
  readonly concurrencyKey?: string
}

/** A trigger that had more events than it may start runs. */
export interface ReachedStartLimit extends TriggerName {
  readonly message: string
  /** The trigger reached its limit for the first time in this period: a notification is due, and that is stored. */
  readonly isToTell: boolean
}

/** What deciding takes from outside. */
export interface DecideEventOptions {
  /** Unix time in milliseconds. */
  readonly nowMs: number
  /** The same, RFC 3339. */
  readonly now: string
  /** How long a dedupe key is remembered, in milliseconds. */
  readonly keepKeysMs: number
}

/**
 * Decides what an event starts. A trigger that wants to starts a run where nothing is paused, its dedupe key is new, its
 * cooldown is over, it has started fewer runs than it may, and no run holds its concurrency key. One event starts a
 * runbook once at most, by the first of its triggers that may.
 */
export function decideEvent<Matched extends MatchedCandidate>(
  { candidates }: { readonly candidates: readonly (Matched | RejectedCandidate)[] },
  memory: StartMemory,
  options: DecideEventOptions & { readonly createRunId: (candidate: Matched) => string },
): DecidedEvent<Matched> {
  const starts: DecidedStart<Matched>[] = []
  const startLimits: ReachedStartLimit[] = []
  const decide = (candidate: Matched | RejectedCandidate): EventDecision => {
    const { runbook, trigger } = candidate
    if ('because' in candidate) return candidate
    const runId = options.createRunId(candidate)
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
  return { decisions: candidates.map(decide), starts, startLimits }
}

/** Another trigger of the runbook was faster. */
function refuseAgain({ runbook }: Candidate, starts: readonly DecidedStart[]): Refusal | undefined {
  const started = starts.find(({ candidate }) => candidate.runbook === runbook)
  if (!started) return undefined
  const message = `${triggerText(started.candidate.trigger)} has started the runbook for this event`
  return { because: 'duplicate', message, run_id: started.runId }
}

function isUntold(candidate: MatchedCandidate, memory: StartMemory, nowMs: number): boolean {
  const lastMs = memory.lastNotifiedStartLimit(candidate)
  return lastMs === undefined || Math.abs(nowMs - lastMs) >= candidate.maxStarts.perMs
}

function concurrencyFor(
  { plan, inputs }: MatchedCandidate,
  id: string,
  now: string,
): Concurrency | undefined {
  return concurrencyOf(plan, inputs, { id, started_at: now })
}

/** Why a trigger that wants to start a run does not. */
export interface Refusal extends Pick<EventDecision, 'run_id' | 'details'> {
  readonly because: NoStartReason
  readonly message: string
}

/** A start that a trigger wants. */
export interface WantedStart {
  readonly candidate: MatchedCandidate
  readonly concurrency: Concurrency | undefined
}

type Rule = (wanted: WantedStart, memory: StartMemory, options: DecideEventOptions) => Refusal | undefined

/** The first of the rules that is against it; undefined where none is. */
function refuseStart(...about: Parameters<Rule>): Refusal | undefined {
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
  if (!concurrency || concurrency.onConflict === 'wait') return undefined
  const running = memory.findRunning(candidate.runbook, concurrency)
  if (running === undefined) return undefined
  return { because: 'concurrency', message: heldText(concurrency.key), run_id: running }
}

const rules: readonly Rule[] = [paused, duplicate, cooldown, startLimit, concurrent]

/** A clock that was set back has left times that are still to come: they count for no longer than others. */
function isWithin(atMs: number, nowMs: number, spanMs: number): boolean {
  return Math.abs(nowMs - atMs) < spanMs
}

/** What was started before, as far as a decision depends on it. Each engine keeps it where its events are. */
export interface StartMemory {
  /** A person has stopped all starting. */
  isPaused(): boolean
  /** The last start of the runbook for this dedupe key, as long as it is kept. */
  findKey(runbook: string, dedupeKey: string): PastStart | undefined
  /** The last start of the runbook by an event; for this cooldown key only, where there is one. */
  lastStart(runbook: string, cooldownKey: string | undefined): PastStart | undefined
  /** How many starts of the trigger lie after the one time and before the other, both Unix times in milliseconds. */
  countStarts(trigger: TriggerName, afterMs: number, beforeMs: number): number
  /** When people were last told that the trigger has more events than it may start runs, in Unix time in milliseconds. */
  lastNotifiedStartLimit(trigger: TriggerName): number | undefined
  /** The run of the runbook that holds this concurrency key, where as many hold it as may. */
  findRunning(runbook: string, concurrency: Pick<Concurrency, 'key' | 'limit'>): string | undefined
}

/** A trigger: its runbook, and its place in the list there. */
export interface TriggerName {
  readonly runbook: string
  readonly trigger: number
}

/** A run that was started before. */
export interface PastStart {
  readonly runId: string
  /** Unix time in milliseconds. */
  readonly atMs: number
}

/** A start that later events are evaluated against. */
export interface RememberedStart extends TriggerName, PastStart {
  readonly dedupeKey?: string
  readonly cooldownKey?: string
}

/** What to remember of a start. */
export function rememberedStart({ runId, candidate }: DecidedStart, atMs: number): RememberedStart {
  const { runbook, trigger, dedupeKey, cooldown } = candidate
  return { runbook, trigger, runId, atMs, ...withoutUndefined({ dedupeKey, cooldownKey: cooldown?.key }) }
}

/** How long a dedupe key counts by default: seven days, in milliseconds. */
export const usualKeepKeysMs: number = 7 * 86_400_000
