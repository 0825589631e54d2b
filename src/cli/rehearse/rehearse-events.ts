import type { ActionDescription } from '../../core/action.ts'
import { isSameJson, type JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import {
  type Candidate,
  decideEvent,
  type EventRecord,
  type MatchedCandidate,
  type NoStartReason,
  type StartMemory,
} from '../../core/triggers/index.ts'
import { evaluateEvent, type TriggeredRunbook } from '../../triggers/evaluate/index.ts'

/** What the events of a time would have started. */
export interface EventsRehearsal {
  readonly events: number
  /** They were too large to be kept. */
  readonly unknown: number
  /** The events that would have started a run, and did not. */
  readonly more: readonly EventChange[]
  /** Those that started one, and would not have. */
  readonly fewer: readonly EventChange[]
  /** Held back by `max-starts`, and were not; a burst is held back in one go. */
  readonly held_back: { readonly events: number; readonly bursts: number }
}

/** An event whose decision is another one. */
export interface EventChange {
  readonly hook: string
  readonly event_id: string
  /** Of those that would not start a run: why. */
  readonly because?: NoStartReason
  readonly message?: string
}

/** What the rehearsal of events takes. */
export interface EventsOptions {
  readonly runbook: TriggeredRunbook
  readonly actions: readonly ActionDescription[]
  /** How long a dedupe key is remembered, in milliseconds. */
  readonly keepKeysMs: number
  /** Events before this Unix time in milliseconds are remembered, and not counted. */
  readonly sinceMs: number
  /** When the run of an event ended, in Unix milliseconds. Undefined: it is not known. */
  readonly endOf: (event: EventRecord) => number | undefined
}

interface Start {
  readonly atMs: number
  /** Unknown ends hold no concurrency key. */
  readonly endMs: number
  readonly candidate: MatchedCandidate
  readonly key?: string
}

/** The events that can start the runbook. */
export interface RecordedEvents {
  /** Without their bodies, the oldest first. */
  readonly listed: readonly EventRecord[]
  /** Reads an event with its body. Undefined: it was removed. */
  read(hook: string, id: string): Promise<EventRecord | undefined>
}

/**
 * Decides anew about recorded events, the oldest first: what each one starts counts for the next. The bodies are read one
 * after the other, since all of them can be too large to be held.
 */
export async function rehearseEvents(
  { listed, read }: RecordedEvents,
  { runbook, actions, keepKeysMs, sinceMs, endOf }: EventsOptions,
): Promise<EventsRehearsal> {
  const { name } = runbook.plan
  const starts: Start[] = []
  const more: EventChange[] = []
  const fewer: EventChange[] = []
  let counted = 0
  let unknown = 0
  let heldBack = 0
  let bursts = 0
  let isInBurst = false
  for (const event of listed) {
    const nowMs = Date.parse(event.received_at)
    const isCounted = nowMs >= sinceMs
    if (isCounted) counted++
    const { body } = (await read(event.hook, event.event_id)) ?? {}
    if (body === undefined) {
      if (isCounted) unknown++
      continue
    }
    const recorded = event.starts.filter((one) => one.runbook === name)
    const didStart = recorded.some(({ because }) => because === undefined)
    const isPaused = recorded.some(({ because }) => because === 'paused')
    const evaluation = evaluateEvent(toIncoming({ ...event, body }), { runbooks: [runbook], actions })
    const decided = decideEvent(evaluation, memoryOf(starts, nowMs, isPaused), {
      nowMs,
      now: event.received_at,
      keepKeysMs,
      createRunId: () => 'run_0',
    })
    const [start] = decided.starts
    if (start) {
      const { candidate, concurrencyKey: key } = start
      const endMs = (didStart ? endOf(event) : undefined) ?? nowMs
      starts.push({ atMs: nowMs, endMs, candidate, ...(key === undefined ? {} : { key }) })
    }
    if (!isCounted) continue
    const named = { hook: event.hook, event_id: event.event_id }
    if (start && !didStart) more.push(named)
    if (!start && didStart) {
      const because = decided.decisions.find((one) => one.because !== 'where_false') ?? decided.decisions[0]
      const why = because?.because
      fewer.push({
        ...named,
        ...(why === undefined ? {} : { because: why }),
        message: because?.message ?? 'no trigger is for it',
      })
    }
    const wasHeldBack = recorded.some(({ because }) => because === 'start_limit_reached')
    const isHeldBack = !start && !wasHeldBack && decided.startLimits.length > 0
    if (isHeldBack) heldBack++
    if (isHeldBack && !isInBurst) bursts++
    if (isHeldBack || start) isInBurst = isHeldBack
  }
  return { events: counted, unknown, more, fewer, held_back: { events: heldBack, bursts } }
}

function toIncoming({ hook, event_id, type, received_at, body = null }: EventRecord) {
  return { hook, id: event_id, type, receivedAtMs: Date.parse(received_at), body }
}

function memoryOf(starts: readonly Start[], nowMs: number, isPaused: boolean): StartMemory {
  const past = (start: Start | undefined) => start && { runId: 'an earlier run', atMs: start.atMs }
  return {
    isPaused: () => isPaused,
    findKey: (_, key) => past(starts.findLast(({ candidate }) => candidate.dedupeKey === key)),
    lastStart: (_, key) =>
      past(starts.findLast(({ candidate }) => key === undefined || candidate.cooldown?.key === key)),
    countStarts: ({ trigger }, afterMs, beforeMs) =>
      starts.filter(
        ({ candidate, atMs }) => candidate.trigger === trigger && atMs > afterMs && atMs < beforeMs,
      ).length,
    lastNotifiedStartLimit: () => undefined,
    findRunning: (_, { key, limit }) =>
      starts.filter((start) => start.key === key && start.endMs > nowMs).length >= limit
        ? 'an earlier run'
        : undefined,
  }
}

/** What a changed runbook makes of the event that started a run. */
export type EventStart =
  | { readonly inputs: JsonObject }
  | { readonly refusal: string }
  /** The recorded event no longer gives the recorded inputs: some of it was masked. */
  | undefined

/** The inputs that the triggers of the changed runbook give to a run that an event started. */
export function startByEvent(
  event: EventRecord,
  run: { readonly plan: Plan; readonly inputs: JsonObject },
  trigger: number,
  { runbook, actions }: Pick<EventsOptions, 'runbook' | 'actions'>,
): EventStart {
  if (event.body === undefined) return undefined
  const candidatesOf = (one: TriggeredRunbook): readonly Candidate[] =>
    evaluateEvent(toIncoming(event), { runbooks: [one], actions }).candidates
  const before = candidatesOf({ plan: run.plan, file: '', text: '' }).find((one) => one.trigger === trigger)
  if (!before || 'because' in before || !isSameJson(before.inputs, run.inputs)) return undefined
  const after = candidatesOf(runbook)
  const matched = after.find((one) => !('because' in one))
  if (matched && !('because' in matched)) return { inputs: matched.inputs }
  const [first] = after
  const why = first && 'because' in first ? first.message : 'no trigger is for it'
  return { refusal: `its event would not start it: ${why}` }
}
