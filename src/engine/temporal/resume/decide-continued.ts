import { hasSentNothing } from '../../../core/calls/index.ts'
import { grouped } from '../../../core/group.ts'
import type { Plan } from '../../../core/plan/index.ts'
import {
  createPlanIndex,
  type DecisionRecord,
  hasUnknownOutcome,
  isLeftUnresolved,
  type RecordedEvent,
  resolvedAsFailed,
} from '../../../core/record/index.ts'
import { recordedTime } from '../../../core/times/index.ts'
import type { UnresolvedCall, Verdict } from '../../index.ts'
import type { ClientPorts } from '../client/client-ports.ts'
import { readEvents } from '../client/follow-events.ts'
import type { EndedRunAnswer } from '../client/read-ended.ts'
import { askRun } from '../client/talk-to-run.ts'
import type { ContinuedAttempt, ContinuedState, DecidedAttempts } from '../continued-state.ts'
import { type ContinuedAnswer, continuedStateQuery } from '../messages.ts'

/** The continued state after a person has resolved a call with an unknown outcome. */
export function decideContinued(
  continued: ContinuedState,
  call: UnresolvedCall,
  verdict: Verdict,
  nowMs: number,
): ContinuedState {
  const { decision, outputs = {}, by, comment } = verdict
  const { path, attempt, error } = call
  const said = comment === undefined ? {} : { comment }
  const settle = (one: ContinuedAttempt): readonly ContinuedAttempt[] => {
    if (one.path !== path) return [one]
    if (decision === 'retry') return isBeforeSuccess(one, continued.attempts) ? [one] : []
    if (one.attempt !== attempt) return [one]
    const { startedAtMs, endedAtMs, waitedMs } = one.attempted
    const times = { startedAtMs, endedAtMs, ...(waitedMs === undefined ? {} : { waitedMs }) }
    const result =
      decision === 'failed'
        ? ({ status: 'failed', error: resolvedAsFailed(call, verdict) } as const)
        : ({ status: 'succeeded', output: outputs } as const)
    return [{ ...one, attempted: { ...result, ...times } }]
  }
  const place = continued.attempts.findIndex((one) => one.path === path)
  const before = { path, place, attempts: continued.attempts.filter((one) => one.path === path) }
  return {
    ...continued,
    attempts: continued.attempts.flatMap(settle),
    decided: [...(continued.decided ?? []), before],
    decisions: [
      ...continued.decisions,
      { path, decision, by, ...said, at: recordedTime(nowMs), ...(error ? { error } : {}) },
    ],
  }
}

/** The continued state after a decision was taken back: the outcome of the call is unknown again. */
export function takeBackContinued(
  continued: ContinuedState,
  { path, place, attempts }: DecidedAttempts,
): ContinuedState {
  const others = continued.attempts.filter((one) => one.path !== path)
  return {
    ...continued,
    attempts: [...others.slice(0, place), ...attempts, ...others.slice(place)],
    decided: continued.decided?.filter((one) => one.path !== path) ?? [],
  }
}

/** Whether a later attempt of the same group of a batch succeeded: the attempt has made other items. */
function isBeforeSuccess(
  { path, attempt }: ContinuedAttempt,
  attempts: readonly ContinuedAttempt[],
): boolean {
  return attempts.some(
    (one) => one.path === path && one.attempted.status === 'succeeded' && one.attempt >= attempt,
  )
}

/**
 * The writes with an unknown outcome, in the order of their first attempts. `all` adds creates that a cancellation has left
 * unresolved.
 */
export function findUnresolvedCalls(
  plan: Plan,
  { attempts, results }: ContinuedState,
  all?: 'all',
): readonly UnresolvedCall[] {
  const index = createPlanIndex(plan)
  const unknown = new Set(
    results.flatMap(([path, result]) => (result !== 'begun' && result.status === 'unknown' ? [path] : [])),
  )
  return [...grouped(attempts.map((one) => [one.path, one]))].flatMap(([path, calls]) => {
    const owner = index.ownerOf(path)
    const last = calls.at(-1)
    if (owner?.step.kind !== 'uses' || last?.attempted.status !== 'failed') return []
    const { error } = last.attempted
    const found = { path, step: owner.step.id, action: last.action, attempt: last.attempt, error }
    if (all && isLeftUnresolved(error)) return [found]
    // A run that was ended at the server has not recorded the result of the step.
    if (!unknown.has(owner.path) && error.code !== 'OutcomeUnknown') return []
    const { safety } = owner.step.uses.action
    const errors = calls.flatMap(({ attempted }) => (attempted.status === 'failed' ? [attempted.error] : []))
    if (!hasUnknownOutcome(safety === 'read' ? 'create' : safety, errors, true)) return []
    return [found]
  })
}

/**
 * The run at the time of the decision, when no resume has used the decision: none sent anything, asked a question or
 * changed the run. Undefined: the decision was used, or the server has removed that execution.
 */
export async function readUnusedDecision(
  ports: ClientPorts,
  now: EndedRunAnswer,
  { path }: DecisionRecord,
): Promise<EndedRunAnswer | undefined> {
  const { start, continued, executionId } = now
  const { runId } = start
  for (const execution of continued.executions.toReversed()) {
    if (execution.runId === executionId) continue
    const handle = ports.client.workflow.getHandle(runId, execution.runId)
    const before = await askRun(runId, ports, () => handle.query<ContinuedAnswer>(continuedStateQuery)).catch(
      () => undefined,
    )
    if (!before) return undefined
    if (before.continued.decided?.some((one) => one.path === path)) return standsSince(ports, now, before)
  }
  return undefined
}

async function standsSince(
  ports: ClientPorts,
  now: EndedRunAnswer,
  before: ContinuedAnswer,
): Promise<EndedRunAnswer | undefined> {
  const { start, continued } = now
  const events = await readEvents(ports, start.runId, before.continued.lastSeq)
  if (!isUnused(before.continued, continued, events)) return undefined
  const { executions, lastSeq: seq, control_requests, decisions } = continued
  return {
    ...now,
    start: { ...start, ...(before.start.keeps ? { keeps: before.start.keeps } : {}) },
    continued: {
      ...before.continued,
      executions,
      lastSeq: seq,
      control_requests,
      decisions,
      resumes: continued.resumes,
    },
  }
}

/**
 * Whether a run has not used a decision between two states: there is no call that may have sent something, no question
 * and no change. `events` are those of the log after the first state. When the server has removed some of them, the decision counts as used.
 */
export function isUnused(
  before: Pick<ContinuedState, 'lastSeq' | 'questions' | 'resumes'>,
  now: Pick<ContinuedState, 'lastSeq' | 'questions' | 'resumes'>,
  events: readonly RecordedEvent[],
): boolean {
  const isChanged = now.resumes.slice(before.resumes.length).some(({ changes }) => changes !== undefined)
  const asked = new Set(before.questions.map(keyOf))
  const isComplete = events.length >= now.lastSeq - before.lastSeq
  return (
    isComplete &&
    !isChanged &&
    now.questions.every((one) => asked.has(keyOf(one))) &&
    events.every((one, place) => one.event.type !== 'attempt_started' || isUnsent(one, events.slice(place)))
  )
}

/** Whether the attempt has failed before it sent anything. `later` are the events since then. */
function isUnsent({ event: started }: RecordedEvent, later: readonly RecordedEvent[]): boolean {
  return later.some(
    ({ event }) =>
      event.type === 'attempt_failed' &&
      started.type === 'attempt_started' &&
      event.path === started.path &&
      event.attempt === started.attempt &&
      hasSentNothing(event.error),
  )
}

function keyOf({ path, asked_at }: { readonly path: string; readonly asked_at: string }): string {
  return `${path} ${asked_at}`
}
