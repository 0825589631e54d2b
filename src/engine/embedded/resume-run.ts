import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { noSecrets, requireSecrets } from '../../actions/secret-store.ts'
import type { ChosenWork } from '../../core/amend/choose-work.ts'
import { refuseAmendment } from '../../core/amend/refuse-amendment.ts'
import { needsDecision } from '../../core/record/needs-decision.ts'
import { refused } from '../../core/record/refused.ts'
import { reopenFailed } from '../../core/record/reopen-failed.ts'
import { RunbookError } from '../../core/run-error.ts'
import { artifactsFolder } from '../attempt/artifact-files.ts'
import { systemClock } from '../attempt/clock.ts'
import { openConnections } from '../attempt/connections.ts'
import type { UndecidedCall } from '../engine.ts'
import { chooseAmended } from '../record/choose-amended.ts'
import type { RunHandle } from '../record/run-handle.ts'
import { systemIdentity } from '../record/system-user.ts'
import { amendRows } from './amend/amend-rows.ts'
import { insertResume, readLastWords } from './amend/resume-rows.ts'
import { requireKey } from './concurrency/require-key.ts'
import { type ControlRequestRows, openControlRequestRows } from './control-request-rows.ts'
import { countCrash, forgetCrashes, mostCrashes, repeatedCrash } from './count-crash.ts'
import { databaseFile, hasDatabase, openDatabase } from './database.ts'
import { driveRun } from './drive-run.ts'
import { fileNumber } from './file-number.ts'
import { inTransaction } from './in-transaction.ts'
import { leaveUndecided } from './leave-undecided.ts'
import { noRun } from './no-run.ts'
import { type Ownership, takeOwnership } from './ownership.ts'
import { removeLeftovers } from './remove-leftovers.ts'
import { openReopenedRecord } from './reopened-record.ts'
import { requireSound } from './require-sound.ts'
import type { ResumeOptions } from './run-options.ts'
import { endRun, readStoredRun, reopenRun, reopenUnknown, type StoredRun } from './run-rows.ts'
import { findUndecided, isLeftInDoubt } from './undecided.ts'

/**
 * Carries on a run that was interrupted, whose process died, or that failed: with its own plan and inputs. What is done
 * stays done. What was in flight is made again, but for a `create`, which becomes an `OutcomeUnknown`; the steps that
 * made a run fail are tried again. An amendment changes what it is carried on with: see {@link Amendment}.
 *
 * Rejects with `RunInUse` while another process carries it out, with `ConcurrencyConflict` while another run goes on for
 * its `concurrency` key, with `OutcomeUnknown` where a person must decide first,
 * and with `InvalidInput` where there is no such run, or nothing left to do, or where an amendment does not fit it:
 * nothing has been changed then.
 */
export async function resumeRun(options: ResumeOptions): Promise<RunHandle> {
  const { dataDir, runId } = options
  if (!hasDatabase(dataDir)) throw noRun(options)
  const database = openDatabase(dataDir)
  let ownership: Ownership | undefined
  try {
    requireSound(database, dataDir)
    const seen = readResumable(database, options)
    ownership = ownedBy(seen, dataDir)
    // Looked at again once nobody else can change it.
    const run = readResumable(database, options)
    if (!options.fromCopy) refuseCopy(run, dataDir)
    if (options.isAutomatic) leaveAfterCrashes(database, run, options)
    else forgetCrashes(database, runId)
    const { amendment } = options
    const work = amendment && chooseAmended(run, amendment, readLastWords(database, runId), options)
    const { plan, inputs } = work ?? run
    await requireSecrets({ plan, inputs, actions: options.actions }, options.secrets ?? noSecrets)
    const connect = await openConnections(options.connect, plan)
    reopen(database, run, work, options)
    await removeLeftovers(artifactsFolder(dataDir, runId))
    const { isAutomatic = false } = options
    const owned = { ...run, plan, inputs, database, ownership, connect, isNew: false, isAutomatic }
    return driveRun(owned, options)
  } catch (error) {
    database.close()
    ownership?.release(false)
    throw error
  }
}

export function readResumable(
  database: DatabaseSyncInstance,
  options: Pick<ResumeOptions, 'dataDir' | 'runId' | 'cancel'>,
): StoredRun {
  const run = readStoredRun(database, options.runId)
  if (!run) throw noRun(options)
  const { id, status } = run
  const [undecided] = options.cancel ? [] : mustBeDecided(database, run)
  if (undecided) throw needsDecision(id, undecided.path)
  if (status === 'succeeded' || status === 'cancelled') {
    const ended =
      status === 'succeeded' ? 'has succeeded: nothing is left to do' : 'was cancelled: start it anew'
    throw refused(
      `${id} ${ended}`,
      status === 'succeeded' ? 'To do it once more, start another run.' : undefined,
    )
  }
  return run
}

/**
 * A run that failed and was cancelled in doubt ended without a decision. To do it again takes one: else its clean-up
 * would pass over that write for ever.
 */
function mustBeDecided(database: DatabaseSyncInstance, run: StoredRun): readonly UndecidedCall[] {
  if (run.status === 'unknown') return findUndecided(database, run)
  if (run.status !== 'failed') return []
  return findUndecided(database, run, 'all').filter(({ error }) => isLeftInDoubt(error))
}

/** A copy does not know what has been done since it was made: it would be done a second time. */
function refuseCopy({ id, fileNumber: recorded }: StoredRun, dataDir: string): void {
  if (recorded === undefined || recorded === fileNumber(dataDir)) return
  const message = `${databaseFile(dataDir)} is a copy of the database in which ${id} was carried out: what was done since the copy was made is not known in it, and would be done again`
  throw new RunbookError('CopiedJournal', message, { notSent: true })
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

/** Throws once the run has been left as interrupted, and says so in its row. */
function leaveAfterCrashes(
  database: DatabaseSyncInstance,
  { id, status }: StoredRun,
  { clock = systemClock }: ResumeOptions,
): void {
  if (status !== 'running') return
  const isLeft = inTransaction(database, () => {
    if (countCrash(database, id) < mostCrashes) return false
    endRun(database, id, { status: 'interrupted', error: repeatedCrash }, clock.now())
    return true
  })
  if (isLeft) throw new RunbookError(repeatedCrash.code, repeatedCrash.message, { notSent: true })
}

function reopen(
  database: DatabaseSyncInstance,
  run: StoredRun,
  work: ChosenWork | undefined,
  { actions, cancel, dataDir, scope, clock = systemClock }: ResumeOptions,
): void {
  const { id, plan, status, resumes } = run
  const nowMs = clock.now()
  const resumed = { by: cancel?.by ?? systemIdentity(), atMs: nowMs }
  inTransaction(database, () => {
    if (work) refuseAmendment(amendRows(database, run, work, { ...resumed, actions }), work.newlyKept)
    else {
      insertResume(database, { runId: id, number: resumes + 1, ...resumed })
      if (status === 'failed')
        reopenFailed(plan, openReopenedRecord(database, { id, resume: resumes + 1, nowMs }))
    }
    if (cancel) {
      if (status === 'unknown') leaveUndecided(database, run, cancel.by)
      requestToCancel(openControlRequestRows(database, id), cancel, nowMs)
    }
    if (findUndecided(database, run).length === 0) reopenUnknown(database, id)
    // Before the run goes on: two that do would have one key.
    requireKey(database, dataDir, { ...run, ...work })
    reopenRun(database, id, fileNumber(dataDir), scope)
  })
}

/** Whoever asks for clean-up that was wanted before, and put off, does not give it up as a second time would. */
function requestToCancel(
  control_requests: ControlRequestRows,
  cancel: NonNullable<ResumeOptions['cancel']>,
  now: number,
): void {
  const [earlier, ...more] = control_requests
    .read()
    .filter(({ kind }) => kind === 'cancel' || kind === 'cancel-now')
  if (earlier?.kind === 'cancel' && more.length === 0) control_requests.close(earlier.id, now)
  control_requests.take(control_requests.add({ ...cancel, kind: 'cancel' }, now), now)
}
