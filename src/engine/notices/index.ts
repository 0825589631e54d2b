/** Notifications before delivery. Without Node, so that the workflow can import it. */
import { briefCoversLines } from '../../core/approval/index.ts'
import type { RunEvent } from '../../core/events.ts'
import type { RunOutcome } from '../../core/interpret.ts'
import type { JsonValue } from '../../core/json.ts'
import { type AskedQuestion, answerFieldsOf, escalationAt, nextReminder } from '../../core/people/index.ts'
import type { Plan } from '../../core/plan/index.ts'
import { itemPathsOf } from '../../core/record/index.ts'
import type { ErrorData } from '../../core/run-error.ts'

/** The kinds of notifications. */
export type NoticeKind =
  | 'approval_waiting'
  | 'approval_reminder'
  | 'approval_escalated'
  | 'run_failed'
  | 'outcome_unknown'
  | 'start_limit_reached'
  | 'schedule_missed'

/** A notification before it is formatted for its targets. */
export interface Notice {
  readonly kind: NoticeKind
  /** Left out: the notification concerns no run. */
  readonly runId?: string
  readonly runbook: string
  readonly title?: string
  /** Path of the step that asks, or that failed. */
  readonly path?: string
  /** The items of the loops that the path goes through, outermost first. */
  readonly items?: readonly JsonValue[]
  /** The question, or the problem. */
  readonly message: string
  /** The fields that an answer needs. Left out: the answer is yes or no. */
  readonly fields?: readonly string[]
  /** Names the question as it is shown, for an answer to exactly this. */
  readonly shown?: string
  /** The name of the target that an escalation is for. */
  readonly to?: string
  /** The number of a reminder, from 1. */
  readonly reminder?: number
  /** Unix time in milliseconds of the cause. */
  readonly sinceMs: number
  /** Unix time in milliseconds of the deadline for an answer. */
  readonly untilMs?: number
  readonly error?: ErrorData
}

/** A formatted notification for one target. */
export interface NoticeDraft {
  /** Unique. */
  readonly id: string
  /** The reference of the target, never its address, which may be a secret. */
  readonly target: string
  /** The JSON that is sent. */
  readonly body: string
}

/** The undelivered notifications of one target. */
export interface UndeliveredNotices {
  readonly target: string
  /** The number that is still retried. */
  readonly waiting: number
  /** The number that is no longer retried. */
  readonly givenUp: number
  /** RFC 3339: when the oldest of them was written. */
  readonly since: string
  /** The error of the last delivery attempt. Left out: there was none. */
  readonly lastError?: string
}

/** Formats a notification for each of its targets. */
export type ComposeNotice = (notice: Notice) => readonly NoticeDraft[]

/** The run that a notification concerns. */
export interface NoticedRun {
  readonly runId: string
  readonly items: Pick<OpenItems, 'of'>
  readonly plan: Pick<Plan, 'name' | 'title'>
}

/** The notification that a step waits for an answer. */
export function noticeOfQuestion(run: NoticedRun, question: AskedQuestion, sinceMs: number): Notice {
  const { path, message: asked, timeoutMs, covers, shown } = question
  const message = covers ? [asked, ...briefCoversLines(covers)].join('\n') : asked
  const fields = answerFieldsOf(question)
  return {
    kind: 'approval_waiting',
    ...named(run),
    ...placeOf(run, path),
    message,
    ...(fields === undefined ? {} : { fields }),
    shown,
    sinceMs,
    ...(timeoutMs === undefined ? {} : { untilMs: sinceMs + timeoutMs }),
  }
}

/** A notification that a question still has no answer, and when it is due. */
export interface TimedNotice {
  /** Unix time in milliseconds. */
  readonly atMs: number
  readonly notice: Notice
}

/** The next reminder of a question, and its escalation, as far as they are due after a time and before the deadline. */
export function remindersOf(
  run: NoticedRun,
  question: AskedQuestion,
  askedAtMs: number,
  afterMs: number,
): readonly TimedNotice[] {
  const asked = noticeOfQuestion(run, question, askedAtMs)
  const reminder = nextReminder(question, askedAtMs, afterMs)
  const escalatedAtMs = escalationAt(question, askedAtMs)
  const { to } = question.escalate ?? {}
  return [
    ...(reminder
      ? [
          {
            atMs: reminder.atMs,
            notice: { ...asked, kind: 'approval_reminder', reminder: reminder.number } as const,
          },
        ]
      : []),
    ...(to !== undefined && escalatedAtMs !== undefined && escalatedAtMs > afterMs
      ? [{ atMs: escalatedAtMs, notice: { ...asked, kind: 'approval_escalated', to } as const }]
      : []),
  ]
}

/** The notification about the end of a run. Undefined if no user has to act on it. */
export function noticeOfEnd(
  run: NoticedRun,
  { status, error }: Pick<RunOutcome, 'status' | 'error'>,
  sinceMs: number,
): Notice | undefined {
  if (status !== 'failed' && status !== 'unknown') return undefined
  const kind = status === 'failed' ? 'run_failed' : 'outcome_unknown'
  const where = error?.path === undefined ? {} : placeOf(run, error.path)
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

function placeOf({ items }: NoticedRun, path: string): Pick<Notice, 'path' | 'items'> {
  const inside = items.of(path)
  return inside.length === 0 ? { path } : { path, items: inside }
}

function named({ runId, plan: { name, title } }: NoticedRun): Pick<Notice, 'runId' | 'runbook' | 'title'> {
  return { runId, runbook: name, ...(title === undefined ? {} : { title }) }
}

/** The items of loops that a run works on, for the notifications about them. */
export interface OpenItems {
  take(event: RunEvent): void
  /** The items of the loops that a path goes through, outermost first. */
  of(path: string): readonly JsonValue[]
}

/**
 * Keeps an item while the run works on it. An item with an unknown outcome is kept, since the end of the run names it.
 */
export function createOpenItems(): OpenItems {
  const open = new Map<string, JsonValue>()
  return {
    take(event) {
      if (event.type === 'item_started') {
        if (event.item !== undefined) open.set(event.path, event.item)
      } else if (event.type === 'item_finished' && event.status !== 'unknown') open.delete(event.path)
    },
    of: (path) => itemPathsOf(path).flatMap((itemPath) => open.get(itemPath) ?? []),
  }
}
