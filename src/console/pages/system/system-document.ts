import type { Identity } from '../../../core/record/index.ts'

/** Someone who has logged in with a browser: a session of `GET /api/v1/sessions`. */
export interface OpenSession {
  readonly id: string
  readonly by: Identity
  readonly roles: readonly string[]
  readonly since: string
  readonly until: string
  readonly is_own?: boolean
}

/** An act, or a refused one: a row of `audit --output json`. */
export interface AuditEntry {
  readonly id: number
  readonly at: string
  /** Left out: the request had no session. */
  readonly by?: Identity
  readonly address: string
  readonly act: string
  readonly subject: Readonly<Record<string, string>>
  /** Left out: its process ended meanwhile. */
  readonly outcome?: 'done' | 'refused' | 'failed'
  readonly code?: string
  /** How many times in a row. */
  readonly count?: number
}

/** The document of `doctor --output json`. */
export interface SystemDocument {
  readonly ok: boolean
  readonly version: string
  readonly checks: readonly {
    readonly name: string
    readonly status: 'ok' | 'warn' | 'fail' | 'skipped'
    readonly message: string
    readonly hints?: readonly string[]
  }[]
}
