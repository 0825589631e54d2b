import { adviceOf, isLastFailure, type RunJournal } from '../../../acts/reads/run/index.ts'
import { type FailedItems, isForPerson, type RunEvent } from '../../../core/events.ts'
import type { AttemptRecord, RecordedEvent, RunRecord } from '../../../core/record/index.ts'
import { leavesOutcomeUnknown } from '../../../core/run-error.ts'
import { readWaits } from '../../../documents/index.ts'
import type { Engine } from '../../../engine/index.ts'
import type { ItemNames } from '../../../view/run/index.ts'
import { failedText } from '../../run/follow/event-text.ts'
import { answerLines, failedItemLines } from '../../run/report/failure-lines.ts'
import { outputValueLines } from '../../run/report/output-lines.ts'
import { type ReportOptions, verdictSigns } from '../../run/report/reported-run.ts'
import { sentLines } from '../../run/report/unknown-outcome-lines.ts'
import { dayText, durationText, failedItemsText, zoneText } from '../../shared/terminal/quantity-text.ts'
import { startedFromText } from '../input-lines.ts'
import {
  controlRequestEntry,
  decisionEntry,
  isForCancelling,
  questionEntries,
  resumeEntry,
} from '../people-lines.ts'
import { detailText, type JournalEntry, journalEntryLines } from './entry.ts'
import { waitEntry } from './wait-entry.ts'

/**
 * The journal of a run in order of time: attempts, waits, control requests, decisions and answers. `most`: lines of each
 * answer.
 */
export function journalEntries(
  run: RunRecord,
  journal: RunJournal,
  options: ReportOptions,
  most: number = mostLines,
): IterableIterator<JournalEntry> {
  return inOrder(otherEntries(run, journal, options), attemptEntries(journal.attempts, options, most))
}

/** The lines of each entry, and before it the day where it is another one. */
export function* journalLines(
  entries: Iterable<JournalEntry>,
  options: ReportOptions,
): IterableIterator<readonly string[]> {
  let day = ''
  for (const entry of entries) {
    const today = `${dayText(entry.atMs)} (${zoneText(entry.atMs).replace('Z', 'UTC')})`
    yield [...(today === day ? [] : [`  ${options.paint.dim(today)}`]), ...journalEntryLines(entry, options)]
    day = today
  }
}

/** All entries but the attempts, which can be large and are read one by one. */
function otherEntries(
  run: RunRecord,
  { events }: RunJournal,
  options: ReportOptions,
): readonly JournalEntry[] {
  const waits = readWaits(events).filter(({ reason }) => !isForPerson(reason))
  return [
    ...runEntries(run, events, options.items),
    ...batchEntries(events, options),
    ...run.resumes
      .filter((resume) => !isForCancelling(resume, run))
      .map((resume) => resumeEntry(resume, options)),
    ...run.control_requests.map(controlRequestEntry),
    ...run.decisions.map(decisionEntry),
    ...run.questions.flatMap((question) => questionEntries(question, options)),
    ...waits.map(waitEntry),
  ].toSorted((one, other) => one.atMs - other.atMs)
}

function* attemptEntries(
  attempts: Iterable<AttemptRecord>,
  options: ReportOptions,
  most: number,
): IterableIterator<JournalEntry> {
  for (const attempt of attempts) yield attemptEntry(attempt, options, most)
}

/** Merges two lists by time. At the same time, an attempt comes after other entries, but before the end of the run. */
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

/** The start of the run, and each of its ends. */
function runEntries(
  run: RunRecord,
  events: Iterable<RecordedEvent>,
  items: ItemNames,
): readonly JournalEntry[] {
  const entries: JournalEntry[] = [
    { atMs: Date.parse(run.started_at), words: [`started${startedFromText(run)}`] },
  ]
  for (const { event } of events) {
    const atMs = Date.parse(event.at)
    if (event.type !== 'run_finished') continue
    const why = event.error === undefined ? '' : `: ${failedText(event.error, '', items)}`
    entries.push({
      atMs,
      sign: verdictSigns[event.status],
      words: [`run ${event.status}${why}`],
      isEnd: true,
    })
  }
  return entries
}

/** The ends of batches with items that failed, which no attempt may say. */
function batchEntries(events: Iterable<RecordedEvent>, options: ReportOptions): readonly JournalEntry[] {
  return [...events].flatMap(({ event }) => {
    const failed = failedInBatch(event)
    if (failed === undefined || !('path' in event)) return []
    const details = failedItemLines(failed, options.items).flatMap((line) => detailText(line, options))
    const at = { atMs: Date.parse(event.at), path: event.path }
    return [{ ...at, sign: 'warning' as const, words: [failedItemsText(failed)], details }]
  })
}

/** The failed items that the end of a batch reports. Those of a loop have paths of their own. */
export function failedInBatch(event: RunEvent): FailedItems | undefined {
  const failed = 'failed_items' in event ? event.failed_items : undefined
  return failed?.kinds.some(({ paths }) => paths !== undefined) ? undefined : failed
}

/** Reads the events of a run, and its attempts if `isFull`. `inside`: only the attempts of this step. */
export async function readJournal(
  { run_id: runId }: RunRecord,
  engine: Engine,
  isFull: boolean,
  inside?: string,
): Promise<RunJournal> {
  return {
    events: await engine.readEvents(runId),
    attempts: isFull ? await engine.readAttempts(runId, inside === undefined ? {} : { inside }) : [],
  }
}

/** Most lines of each answer in the journal of a whole run. */
const mostLines = 20

/** One attempt: its time, arguments, result and answer, and whether it still counts. */
function attemptEntry(attempt: AttemptRecord, options: ReportOptions, most: number): JournalEntry {
  const { path, action, status, error, output, sent, request_id, started_at } = attempt
  const { paint } = options
  const isEmpty = output === undefined || JSON.stringify(output) === '{}'
  return {
    atMs: Date.parse(started_at),
    sign:
      status === 'begun' || (sent && !sent.is_read && error && leavesOutcomeUnknown(error))
        ? 'unknown'
        : status,
    path,
    isSetAside: attempt.is_set_aside === true,
    words: [
      `attempt ${attempt.attempt}`,
      action,
      status === 'begun' ? 'begun, no answer recorded' : status,
      ...timeWords(attempt),
      ...(request_id === undefined ? [] : [`request ${request_id}`]),
      ...fateWords(attempt),
    ],
    details: [
      ...(error === undefined
        ? []
        : [
            ...detailText(`${error.code}: ${error.message}`, options).map((line) => paint.red(line)),
            ...answerLines(error, paint).map((line) => options.mask.text(line)),
            ...(isLastFailure(attempt) ? detailText(`next  ${adviceOf(error).advice ?? ''}`, options) : []),
          ]),
      ...(sent === undefined ? [] : sentLines(sent, options)),
      ...(isEmpty ? [] : [paint.dim('answered'), ...outputValueLines(output, options, { most })]),
    ],
  }
}

function timeWords({ started_at, ended_at, waited_ms }: AttemptRecord): readonly string[] {
  if (ended_at === undefined) return []
  const took = durationText(Date.parse(ended_at) - Date.parse(started_at))
  return [waited_ms === undefined ? took : `${took}, ${durationText(waited_ms)} of it waiting`]
}

/** What happened to an attempt after it ended. */
function fateWords(attempt: AttemptRecord): readonly string[] {
  const { is_repeated, is_superseded, is_taken_over, is_set_aside, superseded_by_resume } = attempt
  const by = superseded_by_resume === undefined ? '' : `, by resume ${superseded_by_resume}`
  return [
    ...(is_repeated ? ['retried'] : isLastFailure(attempt) ? ['not retried'] : []),
    ...(is_taken_over ? ['result reused: not sent again'] : []),
    ...(is_set_aside ? [`set aside${by}`] : is_superseded ? [`tried again later${by}`] : []),
  ]
}
