import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { ResumeComparison } from '../../../core/amend/resume-comparison.ts'
import { systemClock } from '../../attempt/clock.ts'
import { chooseAmended } from '../../record/choose-amended.ts'
import { systemIdentity } from '../../record/system-user.ts'
import { hasDatabase, openDatabase } from '../database.ts'
import { noRun } from '../no-run.ts'
import { ownedBy, readResumable } from '../resume-run.ts'
import type { ResumeOptions } from '../run-options.ts'
import { amendRows } from './amend-rows.ts'
import { readLastWords } from './resume-rows.ts'

/** What a comparison takes: nothing is sent and no connection is made. */
export interface CompareResumeOptions
  extends Pick<ResumeOptions, 'dataDir' | 'runId' | 'actions' | 'checkInputs' | 'clock'> {
  readonly amendment: NonNullable<ResumeOptions['amendment']>
}

/**
 * Says what would become of each step of a run if it were amended so: what counts, what is done again, what needs a word.
 * Changes nothing. Throws what `resumeRun` would, but for steps that need a word: those are a part of the answer.
 */
export function compareResume(options: CompareResumeOptions): ResumeComparison {
  const { dataDir } = options
  if (!hasDatabase(dataDir)) throw noRun(options)
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

/** The amendment itself, undone before anybody has seen it. */
function compare(database: DatabaseSyncInstance, options: CompareResumeOptions): ResumeComparison {
  const { actions, amendment, clock = systemClock } = options
  const run = readResumable(database, options)
  const work = chooseAmended(run, amendment, readLastWords(database, run.id), options)
  database.exec('BEGIN IMMEDIATE')
  try {
    return amendRows(database, run, work, { by: systemIdentity(), atMs: clock.now(), actions })
  } finally {
    database.exec('ROLLBACK')
  }
}
