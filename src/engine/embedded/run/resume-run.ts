import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { noSecrets, requireSecrets } from '../../../actions/index.ts'
import { isLeftUnresolved, needsDecision, refuseEnded, reopenFailed } from '../../../core/record/index.ts'
import { type ChosenWork, isKeptBy, refuseChanges } from '../../../core/resume/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { isPartialName } from '../../../core/text/index.ts'
import { artifactsFolder, openConnections, systemClock } from '../../attempt/index.ts'
import type { UnresolvedCall } from '../../index.ts'
import { chooseChanged, type RunHandle, requirePublicUrl, systemIdentity } from '../../record/index.ts'
import { readPublicUrl } from '../callbacks/run-callbacks.ts'
import { isWaitedFor, requireKey } from '../concurrency/key-rows.ts'
import { waitInLine } from '../concurrency/wait-in-line.ts'
import { cancelWaiting } from '../control/close-run.ts'
import { findUnresolvedCalls, leaveUnresolved } from '../control/unresolved-calls.ts'
import {
  databaseFile,
  hasDatabase,
  inTransaction,
  openDatabase,
  readDatabaseIdentity,
  requireSound,
} from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { changeRows } from '../resume/changed-record.ts'
import { openReopenedRecord } from '../resume/reopened-record.ts'
import { insertResume, readLastOverrides } from '../resume/resume-rows.ts'
import { type ControlRequestRows, openControlRequestRows } from '../tables/control-request-rows.ts'
import { countCrash, forgetCrashes, mostCrashes, readCrashes, repeatedCrash } from '../tables/queue-rows.ts'
import {
  endRun,
  noSuchRun,
  readStoredRun,
  recordWait,
  recordWaitOver,
  reopenRun,
  reopenUnknown,
  type StoredRun,
} from '../tables/run-rows.ts'
import { driveRun } from './drive-run.ts'
import { concurrencyOfRun } from './find-existing-run.ts'
import { joinRun } from './join-run.ts'
import { type Ownership, takeOwnership } from './ownership.ts'
import type { ResumeOptions } from './run-options.ts'

/**
 * Resumes a run that was interrupted, whose process died, or that failed. Completed calls stay completed. A call that
 * was in flight is made again, but a `create` becomes an `OutcomeUnknown`. The steps that made the run fail are tried
 * again. {@link ResumeChanges} change the plan or the inputs first.
 *
 * Rejects with `RunInUse` while another process executes the run, and with `ConcurrencyConflict` while other runs own
 * its `concurrency` key; with `on-conflict: wait` it joins the end of the line instead. Rejects with `OutcomeUnknown` if
 * a user must decide first. Rejects with `InvalidInput` if there is no such run, if nothing is left to do, or if the
 * changes do not fit. Nothing has changed then.
 */
export async function resumeRun(options: ResumeOptions): Promise<RunHandle> {
  const { dataDir, runId } = options
  if (!hasDatabase(dataDir)) throw noSuchRun(options)
  const database = openDatabase(dataDir)
  let ownership: Ownership | undefined
  try {
    requireSound(database, dataDir)
    const seen = readResumable(database, options)
    ownership = ownedBy(seen, dataDir)
    // Read again under the ownership: no other process can change it now.
    const run = readResumable(database, options)
    if (!options.fromCopy) refuseCopy(run, dataDir)
    if (options.isAutomatic) leaveAfterCrashes(database, run, options)
    else forgetCrashes(database, runId)
    const { changes } = options
    const work = changes && chooseChanged(run, changes, readLastOverrides(database, runId), options)
    const { plan, inputs } = work ?? run
    if (!options.cancel) requirePublicUrl(plan, readPublicUrl(database, runId) ?? options.publicUrl)
    await requireSecrets({ plan, inputs, actions: options.actions }, options.secrets ?? noSecrets)
    const connect = await openConnections(options.connect, plan)
    if (!(await reopenWithKey(database, run, work, options))) {
      database.close()
      ownership.release(true)
      return { ...joinRun(runId, options), isJoined: false }
    }
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
  if (!run) throw noSuchRun(options)
  const { id, status } = run
  const [unresolved] = options.cancel ? [] : mustBeDecided(database, run)
  if (unresolved) throw needsDecision(id, unresolved.path)
  refuseEnded(id, status)
  return run
}

/**
 * The unresolved calls that need a decision before a resume. A run that was cancelled with unknown outcomes and failed
 * needs one too: else its clean-up would never handle those writes.
 */
function mustBeDecided(database: DatabaseSyncInstance, run: StoredRun): readonly UnresolvedCall[] {
  if (run.status === 'unknown') return findUnresolvedCalls(database, run)
  if (run.status !== 'failed') return []
  return findUnresolvedCalls(database, run, 'all').filter(({ error }) => isLeftUnresolved(error))
}

/** Throws `CopiedJournal` for a copied database: what the original did since the copy would be done again. */
function refuseCopy({ id, databaseIdentity: recorded }: StoredRun, dataDir: string): void {
  if (recorded === readDatabaseIdentity(dataDir)) return
  const message = `${databaseFile(dataDir)} is not the file in which ${id} ran last: it is a copy or a restored backup, or the file system has renumbered its files. Resuming it would repeat what was done since the copy`
  throw new RunbookError('CopiedJournal', message, { notSent: true })
}

export function ownedBy({ id, owner }: StoredRun, dataDir: string): Ownership {
  try {
    return takeOwnership(dataDir, id)
  } catch (error) {
    if (!RunbookError.is(error) || error.code !== 'RunInUse') throw error
    const by = owner === undefined ? 'another process' : owner
    throw new RunbookError('RunInUse', `${id} is being run by ${by}`, { notSent: true, cause: error })
  }
}

/** Throws `RepeatedCrash` after three crashes, and records that the run is interrupted. */
function leaveAfterCrashes(
  database: DatabaseSyncInstance,
  { id, status }: StoredRun,
  { clock = systemClock }: ResumeOptions,
): void {
  if (status !== 'running') return
  if (readCrashes(database, id) < mostCrashes) return
  inTransaction(database, () => {
    countCrash(database, id)
    endRun(database, id, { status: 'interrupted', error: repeatedCrash }, clock.now())
  })
  throw new RunbookError(repeatedCrash.code, repeatedCrash.message, { notSent: true })
}

/** Reopens the run. One that waits in line has its `concurrency` key. False: it was cancelled while it waited. */
async function reopenWithKey(
  database: DatabaseSyncInstance,
  run: StoredRun,
  work: ChosenWork | undefined,
  options: ResumeOptions,
): Promise<boolean> {
  const { dataDir, isAutomatic, say, signal, clock = systemClock } = options
  const concurrency = concurrencyOfRun({ ...run, ...work })
  const reopenNow = (): void =>
    inTransaction(database, () => {
      reopen(database, run, work, options)
      // Checked before the run continues, since two runs must never own one key.
      requireKey(database, dataDir, { ...run, ...work })
    })
  if (concurrency?.onConflict !== 'wait') {
    reopenNow()
    return true
  }
  const concurrencyKey = { dataDir, runbook: run.plan.name, ...concurrency }
  // After a crash the run keeps its key, unless other processes wait already.
  if (isAutomatic && !isWaitedFor(database, concurrencyKey) && hasSucceeded(reopenNow)) return true
  inTransaction(database, () => {
    // What does not fit is refused before the run waits.
    database.exec('SAVEPOINT fits')
    reopen(database, run, work, options)
    database.exec('ROLLBACK TO fits')
    recordWait(database, run.id, concurrencyKey, clock.now())
  })
  try {
    return await waitInLine(database, concurrencyKey, run.id, {
      now: clock.now,
      say,
      signal,
      begin: () => reopen(database, run, work, options),
      leave: () =>
        new RunbookError('Interrupted', `${run.id} was stopped while it waited in line: nothing was sent`, {
          notSent: true,
          next: `"opsbook resume ${run.id}" waits again.`,
        }),
      cancel(request) {
        const isToCleanUp = run.status !== 'failed' && hasBegun(database, run.id)
        if (request.kind === 'cancel' && isToCleanUp) return false
        cancelWaiting(database, run.id, request, clock.now())
        return true
      },
    })
  } catch (error) {
    if (database.isOpen) recordWaitOver(database, run.id)
    throw error
  }
}

/** False: other runs have the key. */
function hasSucceeded(reopenNow: () => void): boolean {
  try {
    reopenNow()
    return true
  } catch (error) {
    if (RunbookError.is(error) && error.code === 'ConcurrencyConflict') return false
    throw error
  }
}

/** Whether any step of the run has begun. */
function hasBegun(database: DatabaseSyncInstance, runId: string): boolean {
  return sql(database).get`SELECT 1 FROM events WHERE run_id = ${runId} LIMIT 1` !== undefined
}

/** Records that the run continues. To be called in a transaction. */
function reopen(
  database: DatabaseSyncInstance,
  run: StoredRun,
  work: ChosenWork | undefined,
  { actions, by, cancel, dataDir, isAutomatic, scope, clock = systemClock }: ResumeOptions,
): void {
  const { id, plan, status, resumes } = run
  const nowMs = clock.now()
  const resumed = { by: by ?? cancel?.by ?? systemIdentity(), atMs: nowMs }
  if (work) refuseChanges(changeRows(database, run, work, { ...resumed, actions }))
  else {
    insertResume(database, { runId: id, number: resumes + 1, ...resumed })
    const record = openReopenedRecord(database, { id, resume: resumes + 1, nowMs })
    if (status === 'failed') reopenFailed(plan, record, isKeptBy(readLastOverrides(database, id)))
  }
  if (cancel) {
    if (status === 'unknown') leaveUnresolved(database, run, cancel.by)
    requestToCancel(openControlRequestRows(database, id), cancel, nowMs)
  }
  if (findUnresolvedCalls(database, run).length === 0) reopenUnknown(database, id)
  if (isAutomatic && status === 'running') countCrash(database, id)
  reopenRun(database, id, readDatabaseIdentity(dataDir), scope)
}

/** Requests the cancellation. It replaces an earlier single request, since a second one would skip the clean-up. */
function requestToCancel(
  controlRequests: ControlRequestRows,
  cancel: NonNullable<ResumeOptions['cancel']>,
  now: number,
): void {
  const [earlier, ...more] = controlRequests
    .read()
    .filter(({ kind }) => kind === 'cancel' || kind === 'cancel-now')
  if (earlier?.kind === 'cancel' && more.length === 0) controlRequests.close(earlier.id, now)
  controlRequests.take(controlRequests.add({ ...cancel, kind: 'cancel' }, now), now)
}

/**
 * Removes the partial files of an ended process. A repeated call writes to a new name. Only for the owner of the run.
 * No step saves a file under such a name.
 */
async function removeLeftovers(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile() && isPartialName(entry.name))
  await Promise.all(files.map(({ parentPath, name }) => rm(join(parentPath, name), { force: true })))
}
