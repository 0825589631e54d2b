import type { JsonObject } from '../../../core/json.ts'
import { isUnclear } from '../../../core/run-error.ts'
import type { AttemptRecord, SentRecord } from '../../../engine/embedded/index.ts'
import { httpAnswerLines } from '../../run/report/http-answer-lines.ts'
import { valueLines } from '../../run/report/output-lines.ts'
import type { ReportOptions } from '../../run/report/report-lines.ts'
import { durationText } from '../../terminal/duration-text.ts'
import { sizeText } from '../../terminal/size-text.ts'
import { detailText, type JournalEntry } from './entry.ts'

/** Of each answer: more would hide what happened next. */
const mostLines = 20

/** One attempt: when, what was sent, how it went, what was answered, and whether it still counts. */
export function attemptEntry(attempt: AttemptRecord, options: ReportOptions): JournalEntry {
  const { path, action, status, error, output, sent, request_id, started_at } = attempt
  const { paint } = options
  const isEmpty = output === undefined || JSON.stringify(output) === '{}'
  return {
    atMs: Date.parse(started_at),
    sign: status === 'begun' || (sent && error && isUnclear(error)) ? 'unknown' : status,
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
            ...httpAnswerLines(error, paint),
          ]),
      ...(sent === undefined ? [] : sentLines(sent, options)),
      ...(isEmpty ? [] : [paint.dim('answered'), ...valueLines(output, options, mostLines)]),
    ],
  }
}

function timeWords({ started_at, ended_at, waited_ms }: AttemptRecord): readonly string[] {
  if (ended_at === undefined) return []
  const took = durationText(Date.parse(ended_at) - Date.parse(started_at))
  return [waited_ms === undefined ? took : `${took}, ${durationText(waited_ms)} of it waiting`]
}

/** What became of an attempt after it had ended. */
function fateWords(attempt: AttemptRecord): readonly string[] {
  const { status, is_repeated, is_superseded, is_taken_over, is_set_aside, superseded_by_resume } = attempt
  const isLast = status === 'failed' && !is_repeated && !is_superseded
  const by = superseded_by_resume === undefined ? '' : `, by resume ${superseded_by_resume}`
  return [
    ...(is_repeated ? ['repeated'] : isLast ? ['not repeated'] : []),
    ...(is_taken_over ? ['taken over from before: not made again'] : []),
    ...(is_set_aside ? [`set aside${by}`] : is_superseded ? [`tried again later${by}`] : []),
  ]
}

/** What a write was sent with. */
export function sentLines(
  { input, bytes, save_as, connection }: SentRecord,
  options: ReportOptions,
): readonly string[] {
  const { paint } = options
  const more: JsonObject = {
    ...(connection === undefined ? {} : { connection }),
    ...(save_as === undefined ? {} : { 'save-as': save_as }),
  }
  const size = bytes === undefined ? '' : `: ${sizeText(bytes)}, too large for the record`
  const values = [...(input === undefined ? [] : [input]), more].filter(
    (value) => Object.keys(value).length > 0,
  )
  return [paint.dim(`sent${size}`), ...values.flatMap((value) => valueLines(value, options))]
}
