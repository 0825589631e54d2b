import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { refuseEnded } from '../../../core/record/index.ts'
import type { ResumeComparison } from '../../../core/resume/index.ts'
import { systemClock } from '../../attempt/index.ts'
import type { ResumeDependencies } from '../../index.ts'
import { chooseChanged, systemIdentity } from '../../record/index.ts'
import { inDatabaseOf } from '../control/with-run.ts'
import { ownedBy, readResumable } from '../run/resume-run.ts'
import type { ResumeOptions } from '../run/run-options.ts'
import { noSuchRun, readStoredRun, type StoredRun } from '../tables/run-rows.ts'
import { changeRows, previewRows } from './changed-record.ts'
import { readLastOverrides } from './resume-rows.ts'

/** What a comparison takes. It sends nothing and opens no connection. */
export interface CompareResumeOptions
  extends Pick<ResumeOptions, 'dataDir' | 'runId' | 'clock'>,
    ResumeDependencies {
  /** Left out: the run is resumed as it is. */
  readonly changes?: ResumeOptions['changes']
}

/**
 * Previews a resume: which results are reused, which calls are made, and which steps need a decision. Changes nothing.
 * Throws what `resumeRun` would throw, but for the steps that need a decision, which are part of the result. So are
 * calls with an unknown outcome where nothing is changed.
 */
export function compareResume(options: CompareResumeOptions): ResumeComparison {
  return inDatabaseOf(options, (database) => {
    const ownership = ownedBy(readCompared(database, options), options.dataDir)
    try {
      return compare(database, options)
    } finally {
      ownership.release(false)
    }
  })
}

function readCompared(database: DatabaseSyncInstance, options: CompareResumeOptions): StoredRun {
  if (options.changes) return readResumable(database, options)
  const run = readStoredRun(database, options.runId)
  if (!run) throw noSuchRun(options)
  refuseEnded(run.id, run.status)
  return run
}

/** Applies the changes in a transaction and rolls it back. */
function compare(database: DatabaseSyncInstance, options: CompareResumeOptions): ResumeComparison {
  const { actions, changes, clock = systemClock } = options
  const run = readCompared(database, options)
  const work = changes && chooseChanged(run, changes, readLastOverrides(database, run.id), options)
  const resumed = { by: systemIdentity(), atMs: clock.now(), actions }
  database.exec('BEGIN IMMEDIATE')
  try {
    return work ? changeRows(database, run, work, resumed) : previewRows(database, run, resumed)
  } finally {
    database.exec('ROLLBACK')
  }
}
