import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { withDatabase } from '../database/database.ts'
import { type Row, type SqlPart, sql, sqlPart } from '../database/sql.ts'

/** The scope of a run. No process of another scope resumes it automatically. */
export interface RunScope {
  /** The folder of the project, without symbolic links. */
  readonly project: string
  /** Address of the default connection, or of the sandbox. Left out: there is none. */
  readonly service?: string
}

/** A run without an owner, as far as it decides which process resumes it. */
export interface UnownedRun {
  readonly id: string
  readonly runbook: string
  readonly connection?: string
  /** A user stopped the command that ran it. */
  readonly isStopped: boolean
  /** Undefined: a program started it through the library. */
  readonly scope?: RunScope
}

/** The columns of {@link asUnowned}. */
export const unownedColumns: SqlPart = sqlPart`id, runbook, connection, project, service, is_stopped`

export function asUnowned(row: Row): UnownedRun {
  const { id, runbook, connection } = row
  const scope = asScope(row)
  return {
    id: String(id),
    runbook: String(runbook),
    isStopped: row['is_stopped'] === 1,
    ...(typeof connection === 'string' ? { connection } : {}),
    ...(scope === undefined ? {} : { scope }),
  }
}

/** What the process that holds the lock of `serve` works with. */
export interface Serving extends RunScope {
  /** Name of the default connection. */
  readonly connection?: string
}

/** Records the scope that queued runs get from now on. Undefined: it is not known yet. */
export function writeServing(database: DatabaseSyncInstance, serving: Serving | undefined): void {
  if (serving === undefined) database.exec('DELETE FROM serving')
  else
    sql(database).run`
      INSERT OR REPLACE INTO serving (only_row, project, service, connection) VALUES (1,
        ${serving.project}, ${serving.service}, ${serving.connection})`
}

/** The scope that queued runs get. */
export function readServing(database: DatabaseSyncInstance): Serving | undefined {
  const row = sql(database).get`SELECT project, service, connection FROM serving`
  const scope = row && asScope(row)
  const connection = row?.['connection']
  return scope && { ...scope, ...(typeof connection === 'string' ? { connection } : {}) }
}

function asScope({ project, service }: Row): RunScope | undefined {
  if (typeof project !== 'string') return undefined
  return { project, ...(typeof service === 'string' ? { service } : {}) }
}

/** How a run belongs to a process. Undefined: there is no such run. */
export function readUnowned(dataDir: string, runId: string): UnownedRun | undefined {
  return withDatabase(dataDir, (database) => {
    const row = sql(database).get`SELECT ${unownedColumns} FROM runs WHERE id = ${runId}`
    return row && asUnowned(row)
  })
}
