import type { Audit } from '../../documents/index.ts'
import { CommandError } from '../../project/index.ts'
import { readMoment, readUntil } from '../../project/text/index.ts'
import type { AuditLog } from './audit-log.ts'

/** The filters of the audit, in the words of `opsbook audit`. */
export interface AuditQuery {
  readonly who?: string
  readonly refused?: boolean
  readonly since?: string
  readonly until?: string
  /** The cursor of the page before. */
  readonly after?: string
  readonly limit: number
}

/**
 * Reads the acts that match, newest first; of no log, none. `dashes`: how messages begin the name of a filter, where it is
 * not a flag.
 */
export function readAuditPage(
  audit: AuditLog | undefined,
  { who, refused, since, until, after, limit }: AuditQuery,
  dashes = '--',
): Audit {
  const now = Date.now()
  // One act more than is shown: its presence means that there are more.
  const filter = {
    ...(who === undefined ? {} : { who }),
    ...(refused === true ? { isRefused: true } : {}),
    ...(since === undefined ? {} : { fromMs: readMoment(since, now, `${dashes}since`) }),
    ...(until === undefined ? {} : { untilMs: readUntil(until, now, `${dashes}until`) }),
    ...(after === undefined ? {} : { before: readCursor(after) }),
    limit: limit + 1,
  }
  const found = audit?.list(filter) ?? []
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  return { audit: shown, ...(found.length > limit && last !== undefined ? { next: String(last.id) } : {}) }
}

function readCursor(after: string): number {
  if (/^[1-9]\d{0,14}$/.test(after)) return Number(after)
  throw new CommandError('usage', '"after" is none that the audit has returned')
}
