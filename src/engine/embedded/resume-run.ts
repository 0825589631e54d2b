import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { noSecrets, requireSecrets } from '../../actions/secret-store.ts'
import { RunbookError } from '../../core/run-error.ts'
import { amendRun } from './amend/amend-run.ts'
import type { Amendment } from './amend/amendment.ts'
import { type ChosenWork, chooseWork } from './amend/choose-work.ts'
import { refuseAmendment } from './amend/refuse-amendment.ts'
import { insertResume, readLastWords } from './amend/resume-rows.ts'
import { skipSteps } from './amend/skip-steps.ts'
import { artifactsFolder } from './artifacts.ts'
import { systemClock } from './clock.ts'
import { openConnections } from './connections.ts'
import { openDatabase } from './database.ts'
import { driveRun } from './drive-run.ts'
import { type Ownership, takeOwnership } from './ownership.ts'
import { removeLeftovers } from './remove-leftovers.ts'
import { reopenFailed } from './reopen-failed.ts'
import type { RunHandle } from './run-handle.ts'
import type { ResumeOptions } from './run-options.ts'
import { readStoredRun, reopenRun, type StoredRun } from './run-rows.ts'
import { refuseWhatCannotWork } from './start-run.ts'
import { systemUser } from './system-user.ts'

/**
 * Carries on a run that was interrupted, whose process died, or that failed: with its own plan and inputs. What is done
 * stays done. What was in flight is made again, but for a `create`, which becomes an `OutcomeUnknown`; the steps that
 * made a run fail are tried again. An amendment changes what it is carried on with: see {@link Amendment}.
 *
 * Rejects with `RunInUse` while another process carries it out, with `OutcomeUnknown` where a person must decide first,
 * and with `InvalidInput` where there is no such run, or nothing left to do, or where an amendment does not fit it:
 * nothing has been changed then.
 */
export async function resumeRun(options: ResumeOptions): Promise<RunHandle> {
  const { dataDir, runId } = options
  if (!existsSync(join(dataDir, 'opsbook.db'))) throw noRun(options)
  const database = openDatabase(dataDir)
  let ownership: Ownership | undefined
  try {
    const seen = readResumable(database, options)
    ownership = ownedBy(seen, dataDir)
    // Looked at again once nobody else can change it.
    const run = readResumable(database, options)
    const { amendment } = options
    const work = amendment && chooseAmended(database, run, amendment, options)
    const { plan, inputs } = work ?? run
    await requireSecrets({ plan, inputs, actions: options.actions }, options.secrets ?? noSecrets)
    const connect = await openConnections(options.connect, plan)
    reopen(database, run, work, options)
    await removeLeftovers(artifactsFolder(dataDir, runId))
    return driveRun({ ...run, plan, inputs, database, ownership, connect, isNew: false }, options)
  } catch (error) {
    database.close()
    ownership?.release(false)
    throw error
  }
}

export function noRun({ dataDir, runId }: Pick<ResumeOptions, 'dataDir' | 'runId'>): RunbookError {
  return new RunbookError('InvalidInput', `there is no run ${runId} in ${dataDir}`, { notSent: true })
}

export function readResumable(
  database: DatabaseSyncInstance,
  options: Pick<ResumeOptions, 'dataDir' | 'runId'>,
): StoredRun {
  const run = readStoredRun(database, options.runId)
  if (!run) throw noRun(options)
  const { id, status } = run
  if (status === 'unknown') {
    const message = `${id} needs a decision first: nobody knows whether one of its writes was carried out`
    throw new RunbookError('OutcomeUnknown', message, { notSent: true })
  }
  if (status === 'succeeded' || status === 'cancelled') {
    const ended =
      status === 'succeeded' ? 'has succeeded: nothing is left to do' : 'was cancelled: start it anew'
    throw new RunbookError('InvalidInput', `${id} ${ended}`, { notSent: true })
  }
  return run
}

export function ownedBy({ id, owner }: StoredRun, dataDir: string): Ownership {
  try {
    return takeOwnership(dataDir, id)
  } catch (error) {
    if (!RunbookError.is(error) || error.code !== 'RunInUse') throw error
    const by = owner === undefined ? 'another process' : owner
    throw new RunbookError('RunInUse', `${id} is being carried out by ${by}`, { notSent: true, cause: error })
  }
}

/** What the run goes on with after an amendment. Throws `InvalidInput` where that can be known not to work. */
export function chooseAmended(
  database: DatabaseSyncInstance,
  run: StoredRun,
  amendment: Amendment,
  { actions, checkInputs }: Pick<ResumeOptions, 'actions' | 'checkInputs'>,
): ChosenWork {
  const work = chooseWork(run, amendment, readLastWords(database, run.id), checkInputs)
  refuseWhatCannotWork({ ...work, plan: skipSteps(work.plan, work.words.skip), actions })
  return work
}

function reopen(
  database: DatabaseSyncInstance,
  run: StoredRun,
  work: ChosenWork | undefined,
  { actions, clock = systemClock }: ResumeOptions,
): void {
  const { id, plan, status, resumes } = run
  const resumed = { by: systemUser(), atMs: clock.now() }
  try {
    database.exec('BEGIN IMMEDIATE')
    if (work) refuseAmendment(amendRun(database, run, work, { ...resumed, actions }), work.newlyKept)
    else {
      insertResume(database, { runId: id, number: resumes + 1, ...resumed })
      if (status === 'failed') reopenFailed(database, { id, plan, resume: resumes + 1 })
    }
    reopenRun(database, id)
    database.exec('COMMIT')
  } catch (cause) {
    if (database.isTransaction) database.exec('ROLLBACK')
    if (RunbookError.is(cause)) throw cause
    const message = `cannot write the journal: ${(cause as Error).message}`
    throw new RunbookError('DataDirUnusable', message, { cause })
  }
}
