import { identityText } from '../../../core/record/identity.ts'
import type { QuestionRecord } from '../../../engine/embedded/index.ts'
import { durationText } from '../../terminal/duration-text.ts'
import type { JournalEntry } from './entry.ts'

/** A question: when it was asked, and what was said to it. */
export function questionEntries(question: QuestionRecord): readonly JournalEntry[] {
  const { path, message, asked_at, until, status, answer, is_superseded } = question
  const askedMs = Date.parse(asked_at)
  const given = until === undefined ? '' : `, within ${durationText(Date.parse(until) - askedMs)}`
  const open: Readonly<Record<string, string>> = {
    expired: 'nobody answered in time',
    withdrawn: 'withdrawn',
    open: 'not answered yet',
  }
  const asked: JournalEntry = {
    atMs: askedMs,
    sign: 'waiting',
    path,
    words: [
      `asks${given}: ${message}`,
      ...(answer ? [] : [open[status] ?? status]),
      ...(is_superseded ? ['asked again later'] : []),
    ],
  }
  if (!answer) return [asked]
  const atMs = Date.parse(answer.at)
  const verdict = answer.approved ? 'approved' : 'rejected'
  const comment = answer.comment === undefined ? '' : `: ${answer.comment}`
  const words = [`${verdict} by ${identityText(answer.by)} after ${durationText(atMs - askedMs)}${comment}`]
  return [asked, { atMs, sign: answer.approved ? 'succeeded' : 'failed', path, words }]
}
