import type { Covers } from '../core/approval/index.ts'
import type { Answer, AnswerPolicy } from '../core/people/index.ts'
import {
  type ArtifactRecord,
  type AttemptRecord,
  type ControlRequestRecord,
  type CurrentStep,
  type DecisionRecord,
  type QuestionRecord,
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
  count,
  flag,
  list,
  type Members,
  map,
  oneWord,
  partly,
  record,
  type Schema,
  text,
  time,
  yes,
} from './describe.ts'
import { error, identity, type OfItem, ofItem, source, turn } from './facts.ts'
import type { Public } from './public-json.ts'

const waitReason: Schema<NonNullable<CurrentStep['reason']>> = oneWord(
  'retry',
  'throttle',
  'budget',
  'target',
  'poll',
  'approval',
  'answer',
  'wait',
  'event',
  'pause',
  'timeout',
)

/** A run as lists show it. */
export type RunSummary = Public<RunSummaryRecord>
const summary = {
  run_id: text,
  'key?': text,
  runbook: text,
  'title?': text,
  labels: map(text),
  status: oneWord(...recordedStatuses),
  'error?': error,
  'turn?': turn,
  started_at: time,
  'started_by?': identity,
  'started_from?': source,
  'ended_at?': time,
  'current_step?': record<CurrentStep>({ path: text, since: time, 'reason?': waitReason, 'until?': time }),
} as const
export const runSummary: Schema<RunSummary> = record<RunSummary>(summary, 'A run as lists show it.')

/** A page of the list of runs. */
export interface Runs {
  readonly runs: readonly RunSummary[]
  /** Where the next page begins. Left out: this is the last one. */
  readonly next?: string
}
export const runs: Schema<Runs> = record<Runs>({ runs: list(runSummary), 'next?': text })

export const covers: Schema<Covers> = record<Covers>(
  {
    seal: text,
    'any?': yes,
    calls: list(partly(anyObject)),
    open: list(partly(anyObject)),
    'again?': partly(anyObject),
  },
  'The calls that a yes permits.',
)

const deed = { by: identity, 'comment?': text, at: time } as const

export const answer: Schema<Answer> = record<Answer>({
  approved: flag,
  'value?': anything,
  'is_value_left_out?': yes,
  'groups?': list(text),
  ...deed,
})

/** What a person is asked. */
export type Question = QuestionRecord & OfItem
export const question: Schema<Question> = record<Question>(
  {
    path: text,
    shown: text,
    message: text,
    'schema?': partly(anyObject),
    'choices?': map(list(anything)),
    'default?': anything,
    'from?': record<AnswerPolicy>({ 'groups?': list(text), 'count?': count, 'not-starter?': flag }),
    'people?': partly(anyObject),
    'covers?': covers,
    'remind?': text,
    'escalate?': record<NonNullable<QuestionRecord['escalate']>>({ after: text, to: text }),
    asked_at: time,
    'until?': time,
    status: oneWord('open', 'answered', 'expired', 'withdrawn'),
    answers: list(answer),
    'is_superseded?': yes,
    'question_hash?': text,
    ...ofItem,
  },
  'What a person is asked.',
)

/** A file of a run. */
export type File = ArtifactRecord & OfItem
export const file: Schema<File> = record<File>({ file: text, path: text, 'bytes?': count, ...ofItem })

export interface Files {
  readonly files: readonly File[]
}
export const files: Schema<Files> = record<Files>({ files: list(file) })

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
  attempt: count,
  started_at: time,
  'sent?': record<SentRecord>({
    'input?': anyObject,
    'bytes?': count,
    'save_as?': text,
    'connection?': text,
  }),
  'request_id?': text,
  'error?': error,
  find_out: text,
}
export const unknownOutcome: Schema<Public<UnknownOutcome> & OfItem> = record<
  Public<UnknownOutcome> & OfItem
>(
  { ...outcomeMembers, 'reads?': list(text), ...ofItem },
  'A call whose outcome is unknown, and how to find it out.',
)

/** A run, as `show --output json` has it. */
export type Run = Public<
  Omit<RunRecord, 'plan'> & {
    readonly plan_hash: string
    /** Left out: there are none. */
    readonly unknown_outcomes?: readonly UnknownOutcome[]
  }
>
export const run: Schema<Run> = record<Run>(
  {
    ...summary,
    inputs: anyObject,
    plan_hash: text,
    'kept_from?': time,
    'connection?': text,
    'outputs?': anyObject,
    warnings: list(error),
    'warnings_left_out?': count,
    'waiting_attempts?': list(
      record<WaitingAttempt & OfItem>({
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
    steps: list(
      record<Public<StepRecord> & OfItem>({
        path: text,
        'name?': text,
        action: text,
        status: oneWord(
          'succeeded',
          'failed',
          'skipped',
          'cancelled',
          'unknown',
          'running',
          'pending',
          'interrupted',
        ),
        attempts: count,
        'branch?': count,
        'error?': error,
        'is_warning?': flag,
        'caught?': error,
        'condition?': text,
        'values?': anyObject,
        'started_at?': time,
        'ended_at?': time,
        ...ofItem,
      }),
    ),
    artifacts: list(file),
    artifacts_dir: text,
    questions: list(question),
    resumes: list(
      record<ResumeRecord>({
        number: count,
        by: identity,
        at: time,
        'changes?': anyObject,
        'plan_hash_before?': text,
        'inputs_before?': anyObject,
      }),
    ),
    decisions: list(
      record<Public<DecisionRecord> & OfItem>({
        path: text,
        decision: oneWord('succeeded', 'failed', 'retry', 'cancelled'),
        ...deed,
        'error?': error,
        ...ofItem,
      }),
    ),
    control_requests: list(
      record<ControlRequestRecord>({
        kind: oneWord('cancel', 'cancel-now', 'pause', 'unpause'),
        ...deed,
        'taken_at?': time,
        'over_at?': time,
      }),
    ),
    'unknown_outcomes?': list(unknownOutcome),
  },
  'A run, as `opsbook show --output json` prints it.',
)
