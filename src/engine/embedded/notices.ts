import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { RunOutcome } from '../../core/interpret.ts'
import type { Plan } from '../../core/plan.ts'
import type { ErrorData } from '../../core/run-error.ts'
import type { QuestionRows } from './question-rows.ts'

/** What people are told of. */
export type NoticeKind = 'approval_waiting' | 'run_failed' | 'outcome_unknown' | 'storm' | 'schedule_missed'

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

/** Writes what is to be told of one run, in the transaction of what it tells of: the one is never on disk without the other. */
export interface NoticeWriter {
  /** The questions of the run, each of which is told of when it is asked. */
  telling(rows: QuestionRows): QuestionRows
  /** Tells of an end that somebody has to do something about; to be called in a transaction. */
  ended(outcome: RunOutcome, atMs: number): void
}

export function openNoticeWriter(
  database: DatabaseSyncInstance,
  { id, plan }: { readonly id: string; readonly plan: Plan },
  compose: ComposeNotice = () => [],
): NoticeWriter {
  const run = { runId: id, runbook: plan.name, ...(plan.title === undefined ? {} : { title: plan.title }) }
  const write = (notice: Omit<Notice, keyof typeof run>): void =>
    writeNotice(database, { ...run, ...notice }, compose)
  return {
    telling: (rows) => ({
      ...rows,
      open(question, askedAtMs) {
        rows.open(question, askedAtMs)
        const { path, message, timeoutMs } = question
        const until = timeoutMs === undefined ? {} : { untilMs: askedAtMs + timeoutMs }
        write({ kind: 'approval_waiting', path, message, sinceMs: askedAtMs, ...until })
      },
    }),
    ended({ status, error }, sinceMs) {
      if (status !== 'failed' && status !== 'unknown') return
      const kind = status === 'failed' ? 'run_failed' : 'outcome_unknown'
      const where = error?.path === undefined ? {} : { path: error.path }
      const what = error === undefined ? {} : { error }
      write({ kind, message: error?.message ?? `the run is ${status}`, sinceMs, ...where, ...what })
    },
  }
}

/** Writes the messages of a notice; to be called in the transaction of what it tells of. */
export function writeNotice(database: DatabaseSyncInstance, notice: Notice, compose: ComposeNotice): void {
  const { runId = null, kind, sinceMs } = notice
  for (const { id, target, body } of drafts(compose, notice))
    database
      .prepare(
        'INSERT INTO notices (id, run_id, target, kind, body, created_at, next_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      )
      .run(id, runId, target, kind, body, sinceMs, sinceMs)
}

/** A message that cannot be made must not be able to hurt the run. */
function drafts(compose: ComposeNotice, notice: Notice): readonly NoticeDraft[] {
  try {
    return compose(notice)
  } catch {
    return []
  }
}
