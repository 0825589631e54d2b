import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import type { AttemptRecord, RecordedEvent, RecordedStatus, RunRecord } from '../../src/core/record/index.ts'
import { openRunReader } from '../../src/engine/embedded/index.ts'

/** What a data directory holds of a run. */
export interface Journal {
  readonly run: RunRecord
  /** In the order in which they began. */
  readonly attempts: readonly AttemptRecord[]
  readonly events: readonly RecordedEvent[]
  /** The paths of the writes that wait for the word of a person. */
  readonly undecided: readonly string[]
  /** What people said of writes that were in doubt, in that order. */
  readonly decisions: readonly { readonly path: string; readonly decision: string }[]
  /** What people wanted of it, in that order. */
  readonly control_requests: readonly { readonly kind: string; readonly isTaken: boolean }[]
}

/** Reads the journal of the run that was started with this input, or of the only one. Undefined where there is none. */
export function readJournal(dataDir: string, tag?: string): Journal | undefined {
  const reader = openRunReader(dataDir)
  if (!reader) return undefined
  try {
    const runs = reader.listRuns().flatMap(({ run_id }) => reader.readRun(run_id) ?? [])
    const [run, ...others] = runs.filter(({ inputs }) => tag === undefined || inputs['tag'] === tag)
    if (others.length > 0) throw new Error(`${others.length + 1} runs where one was begun`)
    if (!run) return undefined
    const { run_id } = run
    const attempts = [...reader.readAttempts(run_id)]
    const undecided = reader.readUnresolvedCalls(run_id).map(({ path }) => path)
    const events = [...reader.readEvents(run_id)]
    return { run, attempts, events, undecided, ...readPeople(dataDir, run_id) }
  } finally {
    reader.close()
  }
}

function readPeople(dataDir: string, runId: string): Pick<Journal, 'decisions' | 'control_requests'> {
  const database = openPatiently(join(dataDir, 'opsbook.db'))
  try {
    const rows = (sql: string) => database.prepare(`${sql} WHERE run_id = ? ORDER BY id`).all(runId)
    return {
      decisions: rows('SELECT path, decision FROM decisions').map(({ path, decision }) => ({
        path: String(path),
        decision: String(decision),
      })),
      control_requests: rows('SELECT kind, taken_at FROM control_requests').map(({ kind, taken_at }) => ({
        kind: String(kind),
        isTaken: taken_at !== null,
      })),
    }
  } finally {
    database.close()
  }
}

/** Whether a run has come to an end after which there is nothing to resume. */
export function hasEnded(status: RecordedStatus): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled' || status === 'unknown'
}

/** A process that has just been killed may leave the file to be put in order by whoever comes first. */
function openPatiently(file: string): InstanceType<typeof DatabaseSync> {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA busy_timeout = 10000')
  return database
}

/** What SQLite itself finds wrong with the file. */
export function fileProblems(dataDir: string): readonly string[] {
  const file = join(dataDir, 'opsbook.db')
  if (!existsSync(file)) return []
  const database = openPatiently(file)
  try {
    const checks = database.prepare('PRAGMA integrity_check').all()
    const orphans = database.prepare('PRAGMA foreign_key_check').all()
    const found = checks.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok')
    return orphans.length === 0 ? found : [...found, `${orphans.length} rows without their run`]
  } finally {
    database.close()
  }
}
