import { type AskedQuestion, escalationAt, nextReminder } from '../../../../core/people/index.ts'
import type { ContinuedState } from '../../continued-state.ts'

/** The reminders and escalations of the open questions of a run. */
export interface QuestionReminders {
  /** When the next reminder of a question is due, in Unix milliseconds. Infinity: never before its deadline. */
  nextAtMs(question: AskedQuestion, askedAtMs: number): number
  /** Notifies people of what is due at that time. */
  remind(question: AskedQuestion, askedAtMs: number, nowMs: number): void
  /** The question is no longer open. */
  forget(path: string): void
  carry(): Pick<ContinuedState, 'reminded'>
}

/** Notifies people of all that is due of a question after a time, up to another one. Both in Unix milliseconds. */
export type SendReminders = (
  question: AskedQuestion,
  askedAtMs: number,
  afterMs: number,
  nowMs: number,
) => void

/**
 * Keeps when the last reminder of a question was sent. What was due while no worker ran is due once it runs again, and reminders
 * count as one then.
 */
export function createQuestionReminders(
  { reminded = [] }: Pick<ContinuedState, 'reminded'>,
  send: SendReminders,
): QuestionReminders {
  const toldMs = new Map(reminded)
  return {
    nextAtMs(question, askedAtMs) {
      const afterMs = toldMs.get(question.path) ?? askedAtMs
      const escalatedAtMs = escalationAt(question, askedAtMs) ?? Number.POSITIVE_INFINITY
      return Math.min(
        nextReminder(question, askedAtMs, afterMs)?.atMs ?? Number.POSITIVE_INFINITY,
        escalatedAtMs > afterMs ? escalatedAtMs : Number.POSITIVE_INFINITY,
      )
    },
    remind(question, askedAtMs, nowMs) {
      const afterMs = toldMs.get(question.path) ?? askedAtMs
      toldMs.set(question.path, nowMs)
      send(question, askedAtMs, afterMs, nowMs)
    },
    forget: (path) => void toldMs.delete(path),
    carry: () => (toldMs.size === 0 ? {} : { reminded: [...toldMs] }),
  }
}
