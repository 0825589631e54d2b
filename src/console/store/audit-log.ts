import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { AuditRow } from '../../documents/index.ts'
import { sql, sqlPart } from '../../engine/embedded/index.ts'

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
  const { run, all } = sql(database)
  const write = (act: BegunAct, { made, ...ended }: Partial<ActOutcome> = {}): number => {
    const at = new Date(now()).toISOString()
    const record = { at, ...act, subject: { ...act.subject, ...made }, ...ended }
    const [row] = all`INSERT INTO audit (at_ms, who, outcome, record)
      VALUES (${now()}, ${act.by?.name}, ${ended.outcome}, ${JSON.stringify(record)}) RETURNING id`
    return Number(row?.['id'])
  }
  /** Adds one to the row of an act that was refused alike. Returns whether there is one. */
  const again = ({ by, address, route, subject }: BegunAct, { status, code }: ActOutcome): boolean =>
    run`UPDATE audit SET count = count + 1 WHERE id = (
      SELECT max(id) FROM audit WHERE who IS ${by?.name} AND at_ms > ${now() - groupMs}
      AND record->>'address' = ${address} AND record->>'route' = ${route}
      AND record->>'subject' = ${JSON.stringify(subject)} AND record->>'status' IS ${status}
      AND record->>'code' IS ${code})` > 0
  return {
    begin: (act) => write(act),
    end(id, { made = {}, ...ended }) {
      const record = JSON.stringify({ ...ended, subject: made })
      run`UPDATE audit SET outcome = ${ended.outcome}, record = json_patch(record, ${record}) WHERE id = ${id}`
    },
    add(act, ended) {
      if (ended.outcome === 'refused') {
        if (again(act, ended)) return
        const refused = sqlPart`audit WHERE who IS ${act.by?.name} AND outcome = 'refused'`
        run`DELETE FROM ${refused} AND id <=
          (SELECT id FROM ${refused} ORDER BY id DESC LIMIT 1 OFFSET ${mostRefused - 1})`
      }
      write(act, ended)
    },
    list({ fromMs = 0, untilMs, who, isRefused = false, before, limit }) {
      const rows = all`
        SELECT id, count, record FROM audit WHERE at_ms >= ${fromMs}
          ${untilMs === undefined ? sqlPart`` : sqlPart`AND at_ms < ${untilMs}`}
          ${who === undefined ? sqlPart`` : sqlPart`AND who = ${who}`}
          ${isRefused ? sqlPart`AND outcome IS NOT 'done'` : sqlPart``}
          ${before === undefined ? sqlPart`` : sqlPart`AND id < ${before}`}
        ORDER BY id DESC LIMIT ${limit}`
      return rows.map(({ id, count, record }) => ({
        id,
        ...JSON.parse(String(record)),
        ...(count === 1 ? {} : { count }),
      }))
    },
  }
}
