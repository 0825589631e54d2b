import { decidedFailure } from '../../../core/record/decided-failure.ts'
import type { UndecidedCall, Verdict } from '../../engine.ts'
import type { Carried, CarriedAttempt, DecidedAttempts } from '../carried.ts'

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
  const place = carried.attempts.findIndex((one) => one.path === path)
  const before = { path, place, attempts: carried.attempts.filter((one) => one.path === path) }
  return {
    ...carried,
    attempts: carried.attempts.flatMap(settle),
    decided: [...(carried.decided ?? []), before],
    decisions: [
      ...carried.decisions,
      { path, decision, by, ...said, at: new Date(nowMs).toISOString(), ...(error ? { error } : {}) },
    ],
  }
}

/** What a run takes along once a decision about a call has been taken back: the call is in doubt as it was. */
export function takeBackCarried(carried: Carried, { path, place, attempts }: DecidedAttempts): Carried {
  const others = carried.attempts.filter((one) => one.path !== path)
  return {
    ...carried,
    attempts: [...others.slice(0, place), ...attempts, ...others.slice(place)],
    decided: carried.decided?.filter((one) => one.path !== path) ?? [],
  }
}

/** Of a group of a batch: it was carried out for other items, and others came later. */
function isBeforeSuccess({ path, attempt }: CarriedAttempt, attempts: readonly CarriedAttempt[]): boolean {
  return attempts.some(
    (one) => one.path === path && one.attempted.status === 'succeeded' && one.attempt >= attempt,
  )
}
