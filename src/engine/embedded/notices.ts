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
  const write = (notice: Notice): void => {
    const atMs = notice.sinceMs
    for (const draft of drafts(compose, notice))
      database
        .prepare(
          'INSERT INTO notices (id, run_id, target, kind, body, created_at, next_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
        )
        .run(draft.id, id, draft.target, notice.kind, draft.body, atMs, atMs)
  }
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

/** A message that cannot be made must not be able to hurt the run. */
function drafts(compose: ComposeNotice, notice: Notice): readonly NoticeDraft[] {
  try {
    return compose(notice)
  } catch {
    return []
  }
}
