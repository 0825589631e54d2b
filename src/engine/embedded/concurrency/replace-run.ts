import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { type Identity, replacedBy } from '../../../core/record/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { closeRun } from '../control/close-run.ts'
import { inTransaction } from '../database/database.ts'
import { isOwned } from '../run/ownership.ts'
import { openControlRequestRows } from '../tables/control-request-rows.ts'
import { type ConcurrencyKey, findKeyHolder, findQueued, type KeyHolder } from './key-rows.ts'

/** The run that replaces another one. */
export interface Replacement {
  readonly runId: string
  readonly by: Identity
}

/**
 * Requests the cancellation of the run that holds the key. Its clean-up runs. Returns the id of the request. Undefined:
 * the run is being cancelled already, and a second request would skip its clean-up. To be called in a transaction.
 */
export function requestEnd(
  database: DatabaseSyncInstance,
  concurrencyKey: ConcurrencyKey,
  replacement: Replacement,
  nowMs: number,
): number | undefined {
  const holder = findKeyHolder(database, concurrencyKey)
  if (!holder?.isBegun) return undefined
  const controlRequests = openControlRequestRows(database, holder.runId)
  if (controlRequests.read().some(({ kind }) => kind === 'cancel' || kind === 'cancel-now')) return undefined
  return controlRequests.add(
    { kind: 'cancel', by: replacement.by, comment: replacedBy(replacement.runId) },
    nowMs,
  )
}

/** Cancels the queued runs of the key. */
async function closeQueued(
  database: DatabaseSyncInstance,
  concurrencyKey: ConcurrencyKey,
  { runId: replacement, by }: Replacement,
): Promise<void> {
  for (const runId of findQueued(database, concurrencyKey)) {
    if (runId === replacement) continue
    try {
      await closeRun({ dataDir: concurrencyKey.dataDir, runId, by, comment: replacedBy(replacement) })
    } catch (error) {
      // Another process has claimed or closed it in the meantime. The next look at the key shows its new state.
      if (!RunbookError.is(error) || !['RunInUse', 'InvalidInput'].includes(error.code)) throw error
    }
  }
}

const pollMs = 100

/** Resolves when no process executes the run. Rejects with `Interrupted` when the caller aborts the wait. */
async function waitForEnd(
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
    await sleep(pollMs, undefined, signal ? { signal } : {}).catch(() => {})
  }
}

/** Cancels the run that holds the key, and waits until it has ended. */
export async function replaceHolder(
  database: DatabaseSyncInstance,
  concurrencyKey: ConcurrencyKey,
  holder: KeyHolder,
  replacement: Replacement,
  { nowMs, signal }: { readonly nowMs: number; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const controlRequest = inTransaction(database, () =>
    requestEnd(database, concurrencyKey, replacement, nowMs),
  )
  try {
    await closeQueued(database, concurrencyKey, replacement)
    if (holder.isBegun) await waitForEnd(database, concurrencyKey.dataDir, holder, signal)
  } finally {
    // Its process died before it claimed the request. A later resume must not be cancelled by it.
    if (controlRequest !== undefined)
      database.prepare('DELETE FROM control_requests WHERE id = ? AND taken_at IS NULL').run(controlRequest)
  }
}
