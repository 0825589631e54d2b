import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { ResumeComparison } from '../../../core/resume/index.ts'
import { systemClock } from '../../attempt/index.ts'
import type { ResumeDependencies } from '../../index.ts'
import { chooseChanged, systemIdentity } from '../../record/index.ts'
import { hasDatabase, openDatabase } from '../database/database.ts'
import { ownedBy, readResumable } from '../run/resume-run.ts'
import type { ResumeOptions } from '../run/run-options.ts'
import { noSuchRun } from '../tables/run-rows.ts'
import { changeRows } from './changed-record.ts'
import { readLastOverrides } from './resume-rows.ts'

/** What a comparison takes. It sends nothing and opens no connection. */
export interface CompareResumeOptions
  extends Pick<ResumeOptions, 'dataDir' | 'runId' | 'clock'>,
    ResumeDependencies {
  readonly changes: NonNullable<ResumeOptions['changes']>
}

/**
 * Previews a resume with changes: which results are reused, which calls are made, and which steps need a decision.
 * Changes nothing. Throws what `resumeRun` would throw, but for the steps that need a decision, which are part of the
 * result.
 */
export function compareResume(options: CompareResumeOptions): ResumeComparison {
  const { dataDir } = options
  if (!hasDatabase(dataDir)) throw noSuchRun(options)
  const database = openDatabase(dataDir)
  try {
    const ownership = ownedBy(readResumable(database, options), dataDir)
    try {
      return compare(database, options)
    } finally {
      ownership.release(false)
    }
  } finally {
    database.close()
  }
}

/** Applies the changes in a transaction and rolls it back. */
function compare(database: DatabaseSyncInstance, options: CompareResumeOptions): ResumeComparison {
  const { actions, changes, clock = systemClock } = options
  const run = readResumable(database, options)
  const work = chooseChanged(run, changes, readLastOverrides(database, run.id), options)
  database.exec('BEGIN IMMEDIATE')
  try {
    return changeRows(database, run, work, { by: systemIdentity(), atMs: clock.now(), actions })
  } finally {
    database.exec('ROLLBACK')
  }
}
