import type { Covers } from '../core/approval/index.ts'
import { type FailedItems, type FailureKind, waitReasons } from '../core/events.ts'
import type { Answer, AnswerPolicy, QuestionRecord } from '../core/people/index.ts'
import {
  type ArtifactRecord,
  type AttemptRecord,
  type ControlRequestRecord,
  type CurrentStep,
  type DecisionRecord,
  type ResumeRecord,
  type RunRecord,
  type RunSummary as RunSummaryRecord,
  recordedStatuses,
  type SentRecord,
  type StepRecord,
  type WaitingAttempt,
} from '../core/record/index.ts'
import {
  anyObject,
  anything,
  arrayOf,
  dictionaryOf,
  flag,
  type Members,
  objectOf,
  oneWord,
  partly,
  type Schema,
  text,
  time,
  wholeNumber,
  yes,
} from './describe.ts'
import { errorSchema, identitySchema, type OfItem, ofItem, placeInLineSchema, sourceSchema } from './facts.ts'
import type { Public } from './public-json.ts'

/** A run as lists show it. */
export type RunSummaryDocument = Public<RunSummaryRecord>
const summary = {
  run_id: text,
  'key?': text,
  runbook: text,
  'title?': text,
  labels: dictionaryOf(text),
  status: oneWord(...recordedStatuses),
  'error?': errorSchema,
  'place_in_line?': placeInLineSchema,
  started_at: time,
  'started_by?': identitySchema,
  'started_from?': sourceSchema,
  'ended_at?': time,
  'current_step?': objectOf<CurrentStep>({
    path: text,
    since: time,
    'reason?': oneWord(...waitReasons),
    'until?': time,
  }),
} as const
export const runSummarySchema: Schema<RunSummaryDocument> = objectOf<RunSummaryDocument>(
  summary,
  'A run as lists show it.',
)

/** A page of the list of runs. */
export interface Runs {
  readonly runs: readonly RunSummaryDocument[]
  /** Where the next page begins. Left out: this is the last one. */
  readonly next?: string
}
export const runsSchema: Schema<Runs> = objectOf<Runs>({ runs: arrayOf(runSummarySchema), 'next?': text })

export const coversSchema: Schema<Covers> = objectOf<Covers>(
  {
    seal: text,
    'any?': yes,
    calls: arrayOf(partly(anyObject)),
    open: arrayOf(partly(anyObject)),
    'again?': partly(anyObject),
  },
  'The calls that a yes permits.',
)

const deed = { by: identitySchema, 'comment?': text, at: time } as const

export const personAnswerSchema: Schema<Answer> = objectOf<Answer>({
  approved: flag,
  'value?': anything,
  'is_value_left_out?': yes,
  'groups?': arrayOf(text),
  ...deed,
})

/** What a person is asked. */
export type QuestionDocument = QuestionRecord & OfItem
export const questionSchema: Schema<QuestionDocument> = objectOf<QuestionDocument>(
  {
    path: text,
    shown: text,
    message: text,
    'schema?': partly(anyObject),
    'choices?': dictionaryOf(arrayOf(anything)),
    'default?': anything,
    'from?': objectOf<AnswerPolicy>({
      'groups?': arrayOf(text),
      'count?': wholeNumber,
      'not-starter?': flag,
    }),
    'people?': partly(anyObject),
    'covers?': coversSchema,
    'remind?': text,
    'escalate?': objectOf<NonNullable<QuestionRecord['escalate']>>({ after: text, to: text }),
    asked_at: time,
    'until?': time,
    status: oneWord('open', 'answered', 'expired', 'withdrawn'),
    answers: arrayOf(personAnswerSchema),
    'is_superseded?': yes,
    'question_hash?': text,
    ...ofItem,
  },
  'What a person is asked.',
)

/** A file of a run. */
export type File = ArtifactRecord & OfItem
export const fileSchema: Schema<File> = objectOf<File>({
  file: text,
  path: text,
  'bytes?': wholeNumber,
  ...ofItem,
})

export interface Files {
  readonly files: readonly File[]
}
export const filesSchema: Schema<Files> = objectOf<Files>({ files: arrayOf(fileSchema) })

export const sentSchema: Schema<SentRecord> = objectOf<SentRecord>({
  'input?': anyObject,
  'bytes?': wholeNumber,
  'save_as?': text,
  'connection?': text,
  'is_read?': yes,
})

/** A call with an unknown outcome, as records name it. */
export interface UnknownOutcome
  extends Pick<
    AttemptRecord,
    'path' | 'action' | 'attempt' | 'started_at' | 'sent' | 'request_id' | 'error'
  > {
  /** How to find out whether it was executed. */
  readonly find_out: string
  /** What of its answer later steps need. Left out: its action is not known here. */
  readonly reads?: readonly string[]
}
export const outcomeMembers: Members<Omit<Public<UnknownOutcome>, 'reads'>> = {
  path: text,
  action: text,
  attempt: wholeNumber,
  started_at: time,
  'sent?': sentSchema,
  'request_id?': text,
  'error?': errorSchema,
  find_out: text,
}
export const unknownOutcomeSchema: Schema<Public<UnknownOutcome> & OfItem> = objectOf<
  Public<UnknownOutcome> & OfItem
>(
  { ...outcomeMembers, 'reads?': arrayOf(text), ...ofItem },
  'A call whose outcome is unknown, and how to find it out.',
)

const failedItemsSchema: Schema<FailedItems> = objectOf<FailedItems>(
  {
    total: wholeNumber,
    failed: wholeNumber,
    kinds: arrayOf(
      objectOf<FailureKind>({
        code: text,
        message: text,
        'item?': text,
        index: wholeNumber,
        count: wholeNumber,
        'paths?': arrayOf(text),
      }),
    ),
  },
  'The items of a loop or batch that failed, by what they say.',
)

export const stepStatusSchema: Schema<StepRecord['status']> = oneWord(
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
  'unknown',
  'running',
  'pending',
  'interrupted',
)

/** A step that has begun, or that the run lists. */
export type StepOfRun = Public<StepRecord> & OfItem
export const stepSchema: Schema<StepOfRun> = objectOf<StepOfRun>({
  path: text,
  'name?': text,
  action: text,
  status: stepStatusSchema,
  attempts: wholeNumber,
  'branch?': wholeNumber,
  'error?': errorSchema,
  'is_warning?': flag,
  'caught?': errorSchema,
  'failed_items?': failedItemsSchema,
  'condition?': text,
  'values?': anyObject,
  'started_at?': time,
  'ended_at?': time,
  ...ofItem,
})

/** A run, as `show --output json` has it. */
export type Run = Public<
  Omit<RunRecord, 'plan'> & {
    readonly plan_hash: string
    /** Left out: there are none. */
    readonly unknown_outcomes?: readonly UnknownOutcome[]
  }
>
export const runSchema: Schema<Run> = objectOf<Run>(
  {
    ...summary,
    inputs: anyObject,
    plan_hash: text,
    'kept_from?': time,
    'connection?': text,
    'outputs?': anyObject,
    warnings: arrayOf(errorSchema),
    'warnings_left_out?': wholeNumber,
    'waiting_attempts?': arrayOf(
      objectOf<WaitingAttempt & OfItem>({
        path: text,
        action: text,
        reason: oneWord('worker', 'target', 'budget', 'throttle', 'event'),
        'message?': text,
        since: time,
        'until?': time,
        'worker?': text,
        ...ofItem,
      }),
    ),
    steps: arrayOf(stepSchema),
    artifacts: arrayOf(fileSchema),
    artifacts_dir: text,
    questions: arrayOf(questionSchema),
    resumes: arrayOf(
      objectOf<ResumeRecord>({
        number: wholeNumber,
        by: identitySchema,
        at: time,
        'changes?': anyObject,
        'plan_hash_before?': text,
        'inputs_before?': anyObject,
      }),
    ),
    decisions: arrayOf(
      objectOf<Public<DecisionRecord> & OfItem>({
        path: text,
        decision: oneWord('succeeded', 'failed', 'retry', 'cancelled'),
        ...deed,
        'error?': errorSchema,
        ...ofItem,
      }),
    ),
    control_requests: arrayOf(
      objectOf<ControlRequestRecord>({
        kind: oneWord('cancel', 'cancel-now', 'pause', 'unpause'),
        ...deed,
        'taken_at?': time,
        'over_at?': time,
      }),
    ),
    'unknown_outcomes?': arrayOf(unknownOutcomeSchema),
  },
  'A run, as `opsbook show --output json` prints it.',
)
