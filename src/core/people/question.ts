import type { Covers } from '../approval/covers.ts'
import type { Identity } from '../events.ts'
import type { JsonSchema, JsonValue } from '../json.ts'
import type { Reminders } from './reminders.ts'

/** Who may answer a question, as the runbook writes it. */
export interface AnswerPolicy {
  /** Members of at least one of these groups. Left out: every person with a verified name. */
  readonly groups?: readonly string[]
  /**
   * How many people must answer.
   * @default 1
   */
  readonly count?: number
  /** The person who started the run, triggered it by hand, resumed it with changes or said that a call had succeeded may not answer. */
  readonly 'not-starter'?: boolean
}

/** The people of a project: `people` of `opsbook.yaml`. */
export interface People {
  /** The members of each group, by name. */
  readonly groups?: Readonly<Record<string, readonly string[]>>
  /** Where names may come from that count as verified, besides logins and tokens. */
  readonly trust?: readonly 'system-user'[]
  /**
   * Whether people can log in. `names`: that verifies the name of the system user. `groups`: logins bring names and groups
   * that are not listed here, so that no one can say who may not answer.
   */
  readonly logins?: 'names' | 'groups'
}

/** Something a person is asked. */
export interface Question extends Reminders {
  readonly path: string
  readonly message: string
  /** How long to wait, counted from when it was first asked, in milliseconds. Left out: for ever. */
  readonly timeoutMs?: number
  /** JSON Schema of the answer, an object. Left out: the answer is yes or no. */
  readonly schema?: JsonSchema
  /** The values that fields of the answer can have, as they were when the question was asked. */
  readonly choices?: Readonly<Record<string, readonly JsonValue[]>>
  /** The answer in place of none. */
  readonly default?: JsonValue
  /** Left out: the first answer of any user counts. */
  readonly from?: AnswerPolicy
  /** The calls that a yes permits. Left out: no write follows. */
  readonly covers?: Covers
}

/** A question as it is put to people. */
export interface AskedQuestion extends Question {
  /** Names it as it is shown, for an answer to exactly this: `1-` and a hash, such as `1-1f0c9a77b2`. */
  readonly shown: string
  /**
   * Who is in the groups of `from`, and which names count as verified, where it is asked: answers are decided by this
   * record. Left out: the first answer counts.
   */
  readonly people?: People
}

/** What one person answered. */
export interface Answer {
  /** False: the person said no. True with a value. */
  readonly approved: boolean
  /** What was asked for, where the question has a schema. */
  readonly value?: JsonValue
  /** The record holds too much to keep the value; the log has it. */
  readonly is_value_left_out?: true
  readonly by: Identity
  /** The groups of the person that the question asked for. Left out: it asked for none. */
  readonly groups?: readonly string[]
  readonly comment?: string
  /** RFC 3339. */
  readonly at: string
}

/** What a person was asked, and what they said. */
export interface QuestionRecord extends Omit<AskedQuestion, 'timeoutMs'> {
  /** RFC 3339: when it was first asked. */
  readonly asked_at: string
  /** RFC 3339: how long an answer is waited for; left out: for ever. */
  readonly until?: string
  /** `expired`: no answer came in time. `withdrawn`: the step that asked was cancelled. */
  readonly status: 'open' | 'answered' | 'expired' | 'withdrawn'
  /** Those that count: one for each name. The last of them has settled a question that is `answered`. */
  readonly answers: readonly Answer[]
  /** Kept for the record only: the run was resumed, and it was asked again. */
  readonly is_superseded?: true
  /** Names what was asked. Set where the record no longer has the choices, the default and the whole message. */
  readonly question_hash?: string
}
