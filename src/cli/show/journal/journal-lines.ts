import type { AttemptRecord, RunRecord } from '../../../core/record/run-record.ts'
import type { ReportOptions } from '../../run/report/report-lines.ts'
import { dayText, zoneText } from '../../terminal/duration-text.ts'
import { isForCancelling } from '../people-lines.ts'
import type { RunJournal } from '../read-journal.ts'
import { attemptEntry } from './attempt-entry.ts'
import { entryLines, type JournalEntry } from './entry.ts'
import { controlRequestEntry, decisionEntry, resumeEntry } from './people-entries.ts'
import { questionEntries } from './question-entries.ts'
import { runEntries } from './run-entries.ts'
import { waitEntry } from './wait-entry.ts'
import { readWaits } from './waits.ts'

/** Everything that happened to a run, in the order of time: what it did, what it waited for, and what people did. */
export function* journalLines(
  run: RunRecord,
  journal: RunJournal,
  options: ReportOptions,
): IterableIterator<readonly string[]> {
  let day = ''
  for (const entry of inOrder(
    otherEntries(run, journal, options),
    attemptEntries(journal.attempts, options),
  )) {
    const today = `${dayText(entry.atMs)} (${zoneText(entry.atMs).replace('Z', 'UTC')})`
    if (today !== day) yield [`  ${options.paint.dim(today)}`]
    day = today
    yield entryLines(entry, options)
  }
}

/** All but the attempts, which alone can be large: those are read one by one. */
function otherEntries(
  run: RunRecord,
  { events }: RunJournal,
  options: ReportOptions,
): readonly JournalEntry[] {
  const waits = readWaits(events).filter(({ reason }) => reason !== 'approval')
  return [
    ...runEntries(run, events, options.items),
    ...run.resumes
      .filter((resume) => !isForCancelling(resume, run))
      .map((resume) => resumeEntry(resume, options)),
    ...run.control_requests.map(controlRequestEntry),
    ...run.decisions.map(decisionEntry),
    ...run.questions.flatMap(questionEntries),
    ...waits.map(waitEntry),
  ].toSorted((one, other) => one.atMs - other.atMs)
}

function* attemptEntries(
  attempts: Iterable<AttemptRecord>,
  options: ReportOptions,
): IterableIterator<JournalEntry> {
  for (const attempt of attempts) yield attemptEntry(attempt, options)
}

/** Two lists that are in the order of time as one. At the same moment an attempt goes before the end of the run only. */
function* inOrder(
  others: readonly JournalEntry[],
  attempts: Iterable<JournalEntry>,
): IterableIterator<JournalEntry> {
  let next = 0
  for (const attempt of attempts) {
    for (let other = others[next]; other && isBefore(other, attempt); other = others[++next]) yield other
    yield attempt
  }
  yield* others.slice(next)
}

function isBefore(other: JournalEntry, attempt: JournalEntry): boolean {
  return other.atMs < attempt.atMs || (other.atMs === attempt.atMs && !other.isEnd)
}
