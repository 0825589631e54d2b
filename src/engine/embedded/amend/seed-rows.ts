import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { outcomeOfEnded, type Seed } from '../../../core/amend/seed.ts'
import type { JsonValue } from '../../../core/json.ts'
import type { ErrorData } from '../../../core/run-error.ts'

/**
 * Attempts with `superseded` from here on are seeds: the amended resume whose number is the rest has set them aside, for
 * the calls that come after it to take over. Those below have been set aside for good.
 */
export const seedsFrom = 1_000_000

/** What a seed came to. */
export interface SeedOutcome {
  readonly output: JsonValue
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly waitedMs?: number
  readonly requestId?: string
}

/** Sets all attempts aside that count, so that the journal begins anew; to be called in a transaction. */
export function setSeedsAside(database: DatabaseSyncInstance, runId: string, resume: number): void {
  database
    .prepare('UPDATE attempts SET superseded = ? WHERE run_id = ? AND superseded = 0')
    .run(seedsFrom + resume, runId)
}

/** The seeds of a run that nothing has taken over yet, those set aside last first. */
export function readSeeds(database: DatabaseSyncInstance, runId: string): readonly Seed[] {
  const rows = database
    .prepare(
      `SELECT id, path, action, argument_hash, ended_at, error FROM attempts
       WHERE run_id = ?1 AND superseded > ${seedsFrom}
         AND id NOT IN (SELECT reused FROM attempts WHERE run_id = ?1 AND reused IS NOT NULL)
       ORDER BY superseded DESC, id`,
    )
    .all(runId)
  return rows.map((row) => readSeed(row, outcomeOf(row)))
}

/** What was tried, failed, and was set aside so that it would be tried again: by a resume, or by a decision. */
export function readRefused(database: DatabaseSyncInstance, runId: string): readonly Seed[] {
  const rows = database
    .prepare(
      `SELECT id, path, action, argument_hash FROM attempts
       WHERE run_id = ? AND (superseded < 0 OR (superseded BETWEEN 1 AND ${seedsFrom} AND error IS NOT NULL))`,
    )
    .all(runId)
  return rows.map((row) => readSeed(row, 'undone'))
}

function readSeed(row: Readonly<Record<string, unknown>>, outcome: Seed['outcome']): Seed {
  return {
    id: Number(row['id']),
    path: String(row['path']),
    action: String(row['action']),
    asked: String(row['argument_hash']),
    outcome,
  }
}

function outcomeOf({ ended_at, error }: Readonly<Record<string, unknown>>): Seed['outcome'] {
  if (ended_at === null) return 'open'
  return outcomeOfEnded(typeof error === 'string' ? (JSON.parse(error) as ErrorData) : undefined)
}

/** Those that were taken over by calls with other arguments. */
export function readKept(database: DatabaseSyncInstance, runId: string): readonly Seed[] {
  const rows = database
    .prepare(
      `SELECT seed.id, seed.path, seed.action, seed.argument_hash
       FROM attempts AS taken JOIN attempts AS seed ON seed.id = taken.reused
       WHERE taken.run_id = ? AND taken.argument_hash <> seed.argument_hash`,
    )
    .all(runId)
  return rows.map((row) => readSeed(row, 'done'))
}

/** What can be done with single seeds. */
export interface SeedRows {
  read(id: number): SeedOutcome
  /** It is done again: it can be taken over no more. To be called in a transaction. */
  giveUp(id: number): void
}

export function openSeedRows(database: DatabaseSyncInstance): SeedRows {
  const select = database.prepare(
    'SELECT output, started_at, ended_at, waited, request_id FROM attempts WHERE id = ?',
  )
  const giveUp = database.prepare(
    `UPDATE attempts SET superseded = superseded - ${seedsFrom} WHERE id = ? AND superseded > ${seedsFrom}`,
  )
  return {
    read(id) {
      const row = select.get(id) as Readonly<Record<string, unknown>>
      const { output, started_at, ended_at, waited, request_id } = row
      return {
        output: JSON.parse(String(output)) as JsonValue,
        startedAtMs: Number(started_at),
        endedAtMs: Number(ended_at),
        ...(waited === null ? {} : { waitedMs: Number(waited) }),
        ...(typeof request_id === 'string' ? { requestId: request_id } : {}),
      }
    },
    giveUp: (id) => void giveUp.run(id),
  }
}
