import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../../core/record/identity.ts'
import { replacedBy } from '../../../core/record/successor.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { closeRun } from '../close-run.ts'
import { openControlRequestRows } from '../control-request-rows.ts'
import { inTransaction } from '../in-transaction.ts'
import { isOwned } from '../ownership.ts'
import { type ConcurrencyPlace, findKeyHolder, findWaiting, type KeyHolder } from './key-rows.ts'

/** For whom room is made. */
export interface Newcomer {
  readonly runId: string
  readonly by: Identity
}

/**
 * Wants the run that has the key to end, for another one that takes its place: its clean-up is carried out. Answers with
 * the control request, if one was needed: somebody may have cancelled the run already, and a second time would give its clean-up
 * up. To be called in a transaction.
 */
export function askToEnd(
  database: DatabaseSyncInstance,
  place: ConcurrencyPlace,
  newcomer: Newcomer,
  nowMs: number,
): number | undefined {
  const holder = findKeyHolder(database, place)
  if (!holder?.isBegun) return undefined
  const controlRequests = openControlRequestRows(database, holder.runId)
  if (controlRequests.read().some(({ kind }) => kind === 'cancel' || kind === 'cancel-now')) return undefined
  return controlRequests.add({ kind: 'cancel', by: newcomer.by, comment: replacedBy(newcomer.runId) }, nowMs)
}

/** Ends what nobody has begun, for another run that takes its place. */
async function closeWaiting(
  database: DatabaseSyncInstance,
  place: ConcurrencyPlace,
  { runId: newcomer, by }: Newcomer,
): Promise<void> {
  for (const runId of findWaiting(database, place)) {
    if (runId === newcomer) continue
    try {
      await closeRun({ dataDir: place.dataDir, runId, by, comment: replacedBy(newcomer) })
    } catch (error) {
      // Somebody has taken it up, or closed it, in between: whoever looks again sees it as it is.
      if (!RunbookError.is(error) || !['RunInUse', 'InvalidInput'].includes(error.code)) throw error
    }
  }
}

const lookMs = 100

/** Resolves when no process carries the run out any more. Rejects with `Interrupted` when nobody wants to wait. */
async function untilOver(
  database: DatabaseSyncInstance,
  dataDir: string,
  { runId }: KeyHolder,
  signal: AbortSignal | undefined,
): Promise<void> {
  const select = database.prepare('SELECT ended_at FROM runs WHERE id = ?')
  for (;;) {
    const row = select.get(runId)
    if (!row || row['ended_at'] !== null || !isOwned(dataDir, runId)) return
    if (signal?.aborted) {
      const message = `nothing was started: ${runId}, which was to be replaced, has not ended yet`
      throw new RunbookError('Interrupted', message, { notSent: true })
    }
    await sleep(lookMs, undefined, signal ? { signal } : {}).catch(() => {})
  }
}

/** Wants the run that has the key to end, and waits until it has. */
export async function replaceHolder(
  database: DatabaseSyncInstance,
  place: ConcurrencyPlace,
  holder: KeyHolder,
  newcomer: Newcomer,
  { nowMs, signal }: { readonly nowMs: number; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const controlRequest = inTransaction(database, () => askToEnd(database, place, newcomer, nowMs))
  try {
    await closeWaiting(database, place, newcomer)
    if (holder.isBegun) await untilOver(database, place.dataDir, holder, signal)
  } finally {
    // Its process died first: whoever resumes the run wants it to go on.
    if (controlRequest !== undefined)
      database.prepare('DELETE FROM control_requests WHERE id = ? AND taken_at IS NULL').run(controlRequest)
  }
}
