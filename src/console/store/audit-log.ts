import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { AuditRow } from '../../documents/index.ts'

/** An act of a person that has begun. It holds no secrets, and nothing that a person typed. */
export type BegunAct = Pick<AuditRow, 'by' | 'address' | 'act' | 'route' | 'subject' | 'shown'>

/** What became of an act. */
export interface ActOutcome {
  /** `refused`: nothing was done, for the reason of `code`. `failed`: it is not certain that nothing was done. */
  readonly outcome: 'done' | 'refused' | 'failed'
  /** The status of the answer. Left out: it was no request over HTTP. */
  readonly status?: number
  readonly code?: string
  /** What the act has made, such as a run. It is added to the subject. */
  readonly made?: Readonly<Record<string, string>>
}

/** Which rows to list. */
export interface AuditFilter {
  /** Unix time in milliseconds. */
  readonly fromMs?: number
  /** Unix time in milliseconds. */
  readonly untilMs?: number
  /** The name of a person. */
  readonly who?: string
  /** Only acts that were not done. */
  readonly isRefused?: boolean
  /** Only rows before this id. */
  readonly before?: number
  readonly limit: number
}

/** Who did what through the console, on disk. Every method throws where the disk fails. */
export interface AuditLog {
  /** Records that an act begins. Returns its number. */
  begin(act: BegunAct): number
  end(id: number, outcome: ActOutcome): void
  /** Records an act that has ended. */
  add(act: BegunAct, outcome: ActOutcome): void
  /** The rows that match, newest first. */
  list(filter: AuditFilter): readonly AuditRow[]
}

/**
 * Refused requests could fill the disk: alike ones within a minute are one row, and of each person, and of nobody, only
 * the last rows are kept.
 */
const groupMs = 60_000
const usualMostRefused = 10_000

/** The audit of a database. `now`: Unix time in milliseconds. */
export function createAuditLog(
  database: DatabaseSyncInstance,
  now: () => number = Date.now,
  mostRefused: number = usualMostRefused,
): AuditLog {
  const insert = database.prepare('INSERT INTO audit (at_ms, who, outcome, record) VALUES (?, ?, ?, ?)')
  const write = (act: BegunAct, { made, ...ended }: Partial<ActOutcome> = {}): number => {
    const at = new Date(now()).toISOString()
    const record = { at, ...act, subject: { ...act.subject, ...made }, ...ended }
    const { outcome = null } = ended
    return Number(insert.run(now(), act.by?.name ?? null, outcome, JSON.stringify(record)).lastInsertRowid)
  }
  /** Adds one to the row of an act that was refused alike. */
  const again = database.prepare(
    `UPDATE audit SET count = count + 1 WHERE id = (SELECT max(id) FROM audit WHERE who IS ? AND at_ms > ?
      AND record->>'address' = ? AND record->>'route' = ? AND record->>'subject' = ? AND record->>'status' IS ?
      AND record->>'code' IS ?)`,
  )
  const forget = database.prepare(
    `DELETE FROM audit WHERE who IS ?1 AND outcome = 'refused' AND id <=
      (SELECT id FROM audit WHERE who IS ?1 AND outcome = 'refused' ORDER BY id DESC LIMIT 1 OFFSET ?2)`,
  )
  return {
    begin: (act) => write(act),
    end(id, { made = {}, ...ended }) {
      database
        .prepare('UPDATE audit SET outcome = ?, record = json_patch(record, ?) WHERE id = ?')
        .run(ended.outcome, JSON.stringify({ ...ended, subject: made }), id)
    },
    add(act, ended) {
      if (ended.outcome === 'refused') {
        const who = act.by?.name ?? null
        const { address, route, subject } = act
        const { status = null, code = null } = ended
        const alike = [who, now() - groupMs, address, route, JSON.stringify(subject), status, code] as const
        if (Number(again.run(...alike).changes) > 0) return
        forget.run(who, mostRefused - 1)
      }
      write(act, ended)
    },
    list: (filter) => readRows(database, filter),
  }
}

function readRows(
  database: DatabaseSyncInstance,
  { fromMs = 0, untilMs, who, isRefused, before, limit }: AuditFilter,
): readonly AuditRow[] {
  const rules = ['at_ms >= ?']
  const values: (string | number)[] = [fromMs]
  const rule = (text: string, ...given: readonly (string | number)[]): void => {
    rules.push(text)
    values.push(...given)
  }
  if (untilMs !== undefined) rule('at_ms < ?', untilMs)
  if (who !== undefined) rule('who = ?', who)
  if (isRefused === true) rule("outcome IS NOT 'done'")
  if (before !== undefined) rule('id < ?', before)
  return database
    .prepare(`SELECT id, count, record FROM audit WHERE ${rules.join(' AND ')} ORDER BY id DESC LIMIT ?`)
    .all(...values, limit)
    .map((row) => {
      const { id, count, record } = row as {
        readonly id: number
        readonly count: number
        readonly record: string
      }
      return { id, ...JSON.parse(record), ...(count === 1 ? {} : { count }) }
    })
}
