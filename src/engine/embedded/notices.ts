import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { RunOutcome } from '../../core/interpret.ts'
import type { Plan } from '../../core/plan.ts'
import {
  type ComposeNotice,
  type Notice,
  type NoticeDraft,
  noticeOfEnd,
  noticeOfQuestion,
} from '../record/notice.ts'
import type { QuestionRows } from './question-rows.ts'

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
  const run = { runId: id, plan }
  const write = (notice: Notice): void => writeNotice(database, notice, compose)
  return {
    telling: (rows) => ({
      ...rows,
      open(question, askedAtMs) {
        rows.open(question, askedAtMs)
        write(noticeOfQuestion(run, question, askedAtMs))
      },
    }),
    ended(outcome, atMs) {
      const notice = noticeOfEnd(run, outcome, atMs)
      if (notice) write(notice)
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
