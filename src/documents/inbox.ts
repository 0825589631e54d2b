import { type RecordedStatus, recordedStatuses } from '../core/record/index.ts'
import type { UnreadRun, UnresolvedCall } from '../engine/index.ts'
import {
  arrayOf,
  dictionaryOf,
  objectOf,
  oneWord,
  type Schema,
  text,
  time,
  unionOf,
  wholeNumber,
  yes,
} from './describe.ts'
import { errorSchema, type OfItem, ofItem } from './facts.ts'
import type { Public } from './public-json.ts'
import { type QuestionDocument, questionSchema } from './run.ts'

interface OfRun {
  readonly run_id: string
  readonly runbook: string
  readonly title?: string
  readonly labels: Readonly<Record<string, string>>
  readonly status: RecordedStatus
  /** The commands that answer it. */
  readonly commands: readonly string[]
}

/** A question, for one item or for many. */
export interface WaitingQuestion extends OfRun {
  readonly kind: 'question'
  readonly step: string
  readonly count: number
  readonly asked_at?: string
  readonly until?: string
  readonly shown: string
  readonly questions: readonly QuestionDocument[]
}

/** A call with an unknown outcome. */
export type WaitingOutcome = OfRun &
  Public<UnresolvedCall> &
  OfItem & {
    readonly kind: 'unknown_outcome'
  }

/** What waits for a person in one run. */
export type InboxEntry = WaitingQuestion | WaitingOutcome

/** What waits for people: the document of `inbox --output json`. */
export interface InboxDocument {
  readonly waiting: readonly InboxEntry[]
  readonly unread?: readonly UnreadRun[]
  readonly has_more?: true
}

const ofRun = {
  run_id: text,
  runbook: text,
  'title?': text,
  labels: dictionaryOf(text),
  status: oneWord(...recordedStatuses),
  commands: arrayOf(text),
} as const

export const inboxSchema: Schema<InboxDocument> = objectOf<InboxDocument>(
  {
    waiting: arrayOf(
      unionOf<InboxEntry>(
        objectOf<WaitingQuestion>({
          kind: oneWord('question'),
          ...ofRun,
          step: text,
          count: wholeNumber,
          'asked_at?': time,
          'until?': time,
          shown: text,
          questions: arrayOf(questionSchema),
        }),
        objectOf<WaitingOutcome>({
          kind: oneWord('unknown_outcome'),
          ...ofRun,
          path: text,
          step: text,
          action: text,
          attempt: wholeNumber,
          'error?': errorSchema,
          ...ofItem,
        }),
      ),
    ),
    'unread?': arrayOf(objectOf<UnreadRun>({ run_id: text, code: text, message: text })),
    'has_more?': yes,
  },
  'What waits for a person, the earliest deadline first.',
)
