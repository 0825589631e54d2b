import type { Question } from '../../core/host.ts'
import type { RunOutcome } from '../../core/interpret.ts'
import type { Plan } from '../../core/plan.ts'
import type { ErrorData } from '../../core/run-error.ts'

/** What people are told of. */
export type NoticeKind =
  | 'approval_waiting'
  | 'run_failed'
  | 'outcome_unknown'
  | 'start_limit_reached'
  | 'schedule_missed'

/** Something that somebody outside should know. */
export interface Notice {
  readonly kind: NoticeKind
  /** Left out: it is about no run. */
  readonly runId?: string
  readonly runbook: string
  readonly title?: string
  /** Where: of the step that asks, or that failed. */
  readonly path?: string
  /** What is asked, or what went wrong. */
  readonly message: string
  /** Unix time in milliseconds since when it is so. */
  readonly sinceMs: number
  /** Unix time in milliseconds until when an answer is waited for. */
  readonly untilMs?: number
  readonly error?: ErrorData
}

/** A message that is to go out. */
export interface NoticeDraft {
  /** Unlike any other. */
  readonly id: string
  /** Where to: a reference, never an address, which may be a secret. */
  readonly target: string
  /** JSON, as it is sent. */
  readonly body: string
}

/** Makes a notice into the messages that go out. */
export type ComposeNotice = (notice: Notice) => readonly NoticeDraft[]

/** The run that something is told of. */
export interface NoticedRun {
  readonly runId: string
  readonly plan: Pick<Plan, 'name' | 'title'>
}

/** That a step waits for an answer. */
export function noticeOfQuestion(
  run: NoticedRun,
  { path, message, timeoutMs }: Question,
  sinceMs: number,
): Notice {
  const until = timeoutMs === undefined ? {} : { untilMs: sinceMs + timeoutMs }
  return { kind: 'approval_waiting', ...named(run), path, message, sinceMs, ...until }
}

/** An end that somebody has to do something about; undefined for any other. */
export function noticeOfEnd(
  run: NoticedRun,
  { status, error }: Pick<RunOutcome, 'status' | 'error'>,
  sinceMs: number,
): Notice | undefined {
  if (status !== 'failed' && status !== 'unknown') return undefined
  const kind = status === 'failed' ? 'run_failed' : 'outcome_unknown'
  const where = error?.path === undefined ? {} : { path: error.path }
  const what = error === undefined ? {} : { error }
  return {
    kind,
    ...named(run),
    message: error?.message ?? `the run is ${status}`,
    sinceMs,
    ...where,
    ...what,
  }
}

function named({ runId, plan: { name, title } }: NoticedRun): Pick<Notice, 'runId' | 'runbook' | 'title'> {
  return { runId, runbook: name, ...(title === undefined ? {} : { title }) }
}
