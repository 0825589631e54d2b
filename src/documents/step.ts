import type { LogLevel } from '../core/events.ts'
import type { AttemptRecord } from '../core/record/index.ts'
import {
  anything,
  arrayOf,
  objectOf,
  oneWord,
  type Schema,
  text,
  time,
  wholeNumber,
  yes,
} from './describe.ts'
import { type ErrorDocument, errorSchema, type OfItem, ofItem } from './facts.ts'
import type { Public } from './public-json.ts'
import {
  type File,
  fileSchema,
  type QuestionDocument,
  questionSchema,
  type StepOfRun,
  sentSchema,
  stepSchema,
  stepStatusSchema,
} from './run.ts'
import { callWaitSchema, type WaitDocument } from './waits.ts'

/** An attempt of a call, and what to do where it failed and is not repeated. */
export type AttemptDocument = Public<AttemptRecord> & OfItem & { readonly advice?: string }
const attemptSchema: Schema<AttemptDocument> = objectOf<AttemptDocument>({
  path: text,
  attempt: wholeNumber,
  action: text,
  'sent?': sentSchema,
  status: oneWord('begun', 'succeeded', 'failed'),
  'output?': anything,
  'error?': errorSchema,
  'advice?': text,
  'request_id?': text,
  started_at: time,
  'ended_at?': time,
  'waited_ms?': wholeNumber,
  'is_repeated?': yes,
  'is_taken_over?': yes,
  'is_superseded?': yes,
  'superseded_by_resume?': wholeNumber,
  'is_set_aside?': yes,
  ...ofItem,
})

/** A line that an action has logged. */
export interface StepLogLine {
  readonly at: string
  readonly path: string
  readonly level: LogLevel
  readonly message: string
}
const loggedSchema: Schema<StepLogLine> = objectOf<StepLogLine>({
  at: time,
  path: text,
  level: oneWord('debug', 'info', 'warn', 'error'),
  message: text,
})

/** One step, item or call of a run: what it was sent, and what it answered. */
export interface StepDocument extends OfItem {
  readonly run_id: string
  readonly path: string
  /** Left out: it is an item of a loop, or one call of a batch. */
  readonly step?: StepOfRun
  /** Of an item of a loop, how it ended, or that it has not. */
  readonly item_status?: StepOfRun['status']
  /** Something inside of it failed, and that is tolerated. */
  readonly has_tolerated?: true
  /** Why it failed: of a step that calls nothing, or of a batch as a whole, no attempt says it. */
  readonly error?: ErrorDocument
  readonly advice?: string
  /** It is planned, and was not begun. */
  readonly is_not_begun?: true
  /** The items that failed in it, by what they say: at most a hundred kinds. */
  readonly failed: readonly ErrorDocument[]
  /** In the order in which they began. */
  readonly attempts: readonly AttemptDocument[]
  /** `after` of the next page. Left out: these are the last attempts. */
  readonly next?: number
  readonly waits: readonly WaitDocument[]
  /** What it has asked people, with their answers. */
  readonly questions: readonly QuestionDocument[]
  /** What its action has logged, such as the lines of a command: the last thousand. */
  readonly log: readonly StepLogLine[]
  /** How many lines there are before them. */
  readonly log_left_out?: number
  readonly files: readonly File[]
}
export const stepDocumentSchema: Schema<StepDocument> = objectOf<StepDocument>(
  {
    run_id: text,
    path: text,
    ...ofItem,
    'step?': stepSchema,
    'item_status?': stepStatusSchema,
    'has_tolerated?': yes,
    'error?': errorSchema,
    'advice?': text,
    'is_not_begun?': yes,
    failed: arrayOf(errorSchema),
    attempts: arrayOf(attemptSchema),
    'next?': wholeNumber,
    waits: arrayOf(callWaitSchema),
    questions: arrayOf(questionSchema),
    log: arrayOf(loggedSchema),
    'log_left_out?': wholeNumber,
    files: arrayOf(fileSchema),
  },
  'A step of a run: each attempt with what it was sent and what it answered.',
)
