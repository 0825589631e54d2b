import { array, boolean, closed, integer, nonEmpty, string } from '../../core/write-schema.ts'
import type { Operation } from './operation.ts'

export interface ExportSessionInput {
  readonly session_id: string
  /** Inline the events of sub-sessions after the line that dispatches them. */
  readonly include_subagents?: boolean
}

/** What is known about an exported record once it is on disk. */
export interface SessionExport {
  /** The file. */
  readonly path: string
  readonly bytes: number
  /** Of the file, in hex. */
  readonly sha256: string
  readonly lines: number
  /** How many sub-sessions are inlined. */
  readonly sub_sessions: number
  /** `yes`: no sign of truncation; `unknown`: a sign that a whole record can have too (see `signs`). */
  readonly complete: 'yes' | 'unknown'
  /** Why the completeness is uncertain. */
  readonly signs: readonly string[]
  /** The signs in words, where there are any. */
  readonly doubt?: string
}

/** E6. Source: the API document, "E6 Export session record". */
export const exportSession: Operation<ExportSessionInput, SessionExport> = {
  id: 'E6',
  name: 'safari/session/export',
  summary: 'Export the record of an AI session as NDJSON',
  safety: 'read',
  permission: 'Any valid key; a personal session only by its creator',
  limit: { per: 'app_key', perSecond: 20, perMinute: 200, perDay: 1000 },
  answer: 'ndjson',
  savesFile: 'always',
  // The service stops after 60 s; the rest is for the way there and back.
  minimumTimeoutMs: 60_000,
  defaultTimeoutMs: 75_000,
  errors: ['TruncatedExport', 'FileNotWritten'],
  input: closed(['session_id'], {
    session_id: nonEmpty('Id of the session.', { examples: ['sess_short'] }),
    include_subagents: boolean('Inline the events of sub-sessions after the line that dispatches them.', {
      default: false,
    }),
  }),
  output: {
    type: 'object',
    required: ['path', 'bytes', 'sha256', 'lines', 'sub_sessions', 'complete', 'signs'],
    properties: {
      path: string('The file.'),
      bytes: integer('Its size.'),
      sha256: string('Of the file, in hex.'),
      lines: integer('How many lines it has.'),
      sub_sessions: integer('How many sub-sessions are inlined.'),
      complete: string('unknown: see signs.', { enum: ['yes', 'unknown'] }),
      signs: array('Why the completeness is uncertain.', { type: 'string' }),
      doubt: string('The signs in words, where there are any.'),
    },
  },
}
