/** This machine and its console: checks, sessions, the audit, and how a request is refused. */
import type { Identity } from '../core/events.ts'
import {
  arrayOf,
  dictionaryOf,
  flag,
  objectOf,
  oneWord,
  type Schema,
  text,
  time,
  wholeNumber,
  yes,
} from './describe.ts'
import { identitySchema } from './facts.ts'

/** The result of one check. */
export interface Check {
  readonly name: string
  /** `skipped`: the check could not be made. */
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped'
  readonly message: string
  /** It concerns runs, not the environment. */
  readonly isOfRuns?: true
  /** What to do. */
  readonly hints?: readonly string[]
}

/** The document of `doctor --output json`. */
export interface System {
  readonly ok: boolean
  readonly version: string
  readonly checks: readonly Check[]
}
export const systemSchema: Schema<System> = objectOf<System>(
  {
    ok: flag,
    version: text,
    checks: arrayOf(
      objectOf<Check>({
        name: text,
        status: oneWord('ok', 'warn', 'fail', 'skipped'),
        message: text,
        'isOfRuns?': yes,
        'hints?': arrayOf(text),
      }),
    ),
  },
  'The checks of `opsbook doctor --output json`.',
)

/** Someone who has logged in with a browser. */
export interface SessionDocument {
  readonly id: string
  readonly by: Identity
  readonly roles: readonly ('viewer' | 'operator' | 'approver' | 'admin')[]
  readonly groups?: readonly string[]
  readonly since: string
  readonly until: string
  readonly is_own?: true
}
export const sessionSchema: Schema<SessionDocument> = objectOf<SessionDocument>(
  {
    id: text,
    by: identitySchema,
    roles: arrayOf(oneWord('viewer', 'operator', 'approver', 'admin')),
    'groups?': arrayOf(text),
    since: time,
    until: time,
    'is_own?': yes,
  },
  'Someone who has logged in with a browser.',
)

export interface SessionsDocument {
  readonly sessions: readonly SessionDocument[]
}
export const sessionsSchema: Schema<SessionsDocument> = objectOf<SessionsDocument>({
  sessions: arrayOf(sessionSchema),
})

/** An act, or a refused one. */
export interface AuditRow {
  readonly id: number
  /** RFC 3339. */
  readonly at: string
  /** Left out: it is not known who. */
  readonly by?: Identity
  /** The address of the client. */
  readonly address: string
  /** What was asked for, in a word: `answers`, `cancel`, `login`. */
  readonly act: string
  /** The method and path, with the names of its parameters. */
  readonly route: string
  /** What it acts on, such as `{ run: 'run_…' }`. */
  readonly subject: Readonly<Record<string, string>>
  /** The word of what was on the screen. */
  readonly shown?: string
  /** Left out: the process has ended before the act. */
  readonly outcome?: 'done' | 'refused' | 'failed'
  readonly status?: number
  readonly code?: string
  /** Refused requests that are alike within a minute are one row. Left out: one request. */
  readonly count?: number
}

/** The document of `audit --output json`. */
export interface Audit {
  readonly audit: readonly AuditRow[]
  /** Where the next page begins. */
  readonly next?: string
}
export const auditSchema: Schema<Audit> = objectOf<Audit>(
  {
    audit: arrayOf(
      objectOf<AuditRow>({
        id: wholeNumber,
        at: time,
        'by?': identitySchema,
        address: text,
        act: text,
        route: text,
        subject: dictionaryOf(text),
        'shown?': text,
        'outcome?': oneWord('done', 'refused', 'failed'),
        'status?': wholeNumber,
        'code?': text,
        'count?': wholeNumber,
      }),
    ),
    'next?': text,
  },
  'Acts and refused acts, newest first. One without `outcome` began in a process that has ended.',
)

/** A refusal or failure (RFC 9457). */
export interface ProblemDocument {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly hint?: string
}
export const problemSchema: Schema<ProblemDocument> = objectOf<ProblemDocument>(
  { type: text, title: text, status: wholeNumber, detail: text, code: text, 'hint?': text },
  'A refusal or failure (RFC 9457), with the code and the hint of the command line.',
)
