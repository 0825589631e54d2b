import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import {
  type AttemptRecord,
  openRunReader,
  type RecordedEvent,
  type RecordedStatus,
  type RunRecord,
} from '../../src/engine/embedded/index.ts'

/** What a data directory holds of its one run. */
export interface Journal {
  readonly run: RunRecord
  /** In the order in which they began. */
  readonly attempts: readonly AttemptRecord[]
  readonly events: readonly RecordedEvent[]
}

/** Reads the journal while nobody writes it. Undefined where no run has been begun. */
export function readJournal(dataDir: string): Journal | undefined {
  const reader = openRunReader(dataDir)
  if (!reader) return undefined
  try {
    const [first, ...others] = reader.listRuns()
    if (others.length > 0) throw new Error(`${others.length + 1} runs where one was begun`)
    const run = first && reader.readRun(first.run_id)
    if (!run) return undefined
    const { run_id } = run
    return { run, attempts: [...reader.readAttempts(run_id)], events: [...reader.readEvents(run_id)] }
  } finally {
    reader.close()
  }
}

/** Whether a run has come to an end after which there is nothing to resume. */
export function hasEnded(status: RecordedStatus): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled' || status === 'unknown'
}

/** What SQLite itself finds wrong with the file. */
export function fileProblems(dataDir: string): readonly string[] {
  const file = join(dataDir, 'opsbook.db')
  if (!existsSync(file)) return []
  const database = new DatabaseSync(file)
  try {
    const checks = database.prepare('PRAGMA integrity_check').all()
    const orphans = database.prepare('PRAGMA foreign_key_check').all()
    const found = checks.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok')
    return orphans.length === 0 ? found : [...found, `${orphans.length} rows without their run`]
  } finally {
    database.close()
  }
}
