import type { AttemptResult } from '../../src/core/calls/index.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { QuestionRecord } from '../../src/core/people/question.ts'
import type { Plan } from '../../src/core/plan/plan.ts'
import type { AttemptRecord } from '../../src/core/record/index.ts'
import {
  createVirtualClock,
  playRun,
  type RecordedRun,
  type ScriptedReply,
  usualStartMs,
} from '../../src/testing/index.ts'
import { testActions } from '../conformance/test-actions.ts'

export interface RecordedScript {
  readonly inputs?: JsonObject
  /** By `path` or `path#attempt`. By default a call answers with its argument, and a create with an id. */
  readonly results?: Readonly<Record<string, AttemptResult>>
  readonly answers?: Readonly<Record<string, readonly ScriptedReply[]>>
  /** After how many milliseconds the run is cancelled. */
  readonly cancelMs?: number
}

/** Plays a plan, and returns the record that an engine would have of it. */
export async function recordRun(plan: Plan, script: RecordedScript = {}): Promise<RecordedRun> {
  const { inputs = {}, results = {}, answers = {}, cancelMs } = script
  const asked: QuestionRecord[] = []
  const clock = createVirtualClock(usualStartMs)
  const at = (ms: number): string => new Date(ms).toISOString()
  const { seen, journal } = await playRun(
    plan,
    inputs,
    {
      actions: testActions,
      answer({ path, attempt, action, input }) {
        const usual = action === 'test/create' ? { id: `id of ${path}` } : { value: input['of'] ?? null }
        const result = results[`${path}#${attempt}`] ??
          results[path] ?? { status: 'succeeded', output: usual }
        return { result, takesMs: 1000, waitsMs: 0 }
      },
      people(path, question) {
        const replies = answers[path] ?? []
        let ms = clock.now()
        const given = replies.map(({ given: one, afterMs }) => {
          ms += afterMs
          return { ...one, at: at(ms) }
        })
        const status =
          given.length > 0 ? 'answered' : question.timeoutMs === undefined ? 'withdrawn' : 'expired'
        const until = question.timeoutMs === undefined ? {} : { until: at(clock.now() + question.timeoutMs) }
        asked.push({ ...question, ...until, shown: '', asked_at: at(clock.now()), status, answers: given })
        return replies
      },
    },
    { clock, facts: { id: 'run_7' }, ...(cancelMs === undefined ? {} : { cancel: [cancelMs] }) },
  )
  const attempts = [...journal.outcomes.values()].flatMap((outcome): readonly AttemptRecord[] => {
    if (!('request' in outcome)) return []
    const { path, attempt, action } = JSON.parse(outcome.request) as AttemptRecord
    const { startedAtMs, endedAtMs } = outcome.attempted
    const { status, ...result } =
      outcome.attempted.status === 'succeeded'
        ? { status: 'succeeded' as const, output: outcome.attempted.output }
        : { status: 'failed' as const, error: outcome.attempted.error }
    return [
      { path, attempt, action, status, ...result, started_at: at(startedAtMs), ended_at: at(endedAtMs) },
    ]
  })
  const cancel = {
    kind: 'cancel',
    by: { name: 'ada', source: 'system-user' },
    at: at(usualStartMs + (cancelMs ?? 0)),
    over_at: at(usualStartMs + 1e9),
  } as const
  return {
    run: {
      run_id: 'run_7',
      started_at: at(usualStartMs),
      status: seen.status,
      ...(seen.error ? { error: seen.error } : {}),
      ...(seen.outputs ? { outputs: seen.outputs } : {}),
      inputs,
      plan,
      questions: asked,
      control_requests: cancelMs === undefined ? [] : [cancel],
    },
    attempts,
  }
}
