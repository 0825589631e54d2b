import type { JsonValue } from '../../../core/json.ts'
import { decidedFailure } from '../../../core/record/decided-failure.ts'
import type { UndecidedCall } from '../../engine.ts'
import type { Carried, CarriedAttempt } from '../carried.ts'

/** What a person found out about a write. */
export interface Verdict {
  readonly decision: 'succeeded' | 'failed' | 'retry'
  /** With `succeeded`: what the call would have answered. */
  readonly outputs?: JsonValue
  readonly by: string
  readonly comment?: string
}

/** What a run takes along once somebody has settled a call that nobody was sure of. */
export function decideCarried(
  carried: Carried,
  call: UndecidedCall,
  verdict: Verdict,
  nowMs: number,
): Carried {
  const { decision, outputs = {}, by, comment } = verdict
  const { path, attempt, error } = call
  const said = comment === undefined ? {} : { comment }
  const settle = (one: CarriedAttempt): readonly CarriedAttempt[] => {
    if (one.path !== path) return [one]
    if (decision === 'retry') return isBeforeSuccess(one, carried.attempts) ? [one] : []
    if (one.attempt !== attempt) return [one]
    const { startedAtMs, endedAtMs, waitedMs } = one.attempted
    const times = { startedAtMs, endedAtMs, ...(waitedMs === undefined ? {} : { waitedMs }) }
    const result =
      decision === 'failed'
        ? ({ status: 'failed', error: decidedFailure(call, verdict) } as const)
        : ({ status: 'succeeded', output: outputs } as const)
    return [{ ...one, attempted: { ...result, ...times } }]
  }
  return {
    ...carried,
    attempts: carried.attempts.flatMap(settle),
    decisions: [
      ...carried.decisions,
      { path, decision, by, ...said, at: new Date(nowMs).toISOString(), ...(error ? { error } : {}) },
    ],
  }
}

/** Of a group of a batch: it was carried out for other items, and others came later. */
function isBeforeSuccess({ path, attempt }: CarriedAttempt, attempts: readonly CarriedAttempt[]): boolean {
  return attempts.some(
    (one) => one.path === path && one.attempted.status === 'succeeded' && one.attempt >= attempt,
  )
}
