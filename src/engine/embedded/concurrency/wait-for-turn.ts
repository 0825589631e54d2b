import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { waitingText } from '../../../core/concurrency-key.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { cancelWaiting } from '../control/close-run.ts'
import { inTransaction } from '../database/database.ts'
import { openControlRequestRows } from '../tables/control-request-rows.ts'
import { endRun, recordStop, recordTurn } from '../tables/run-rows.ts'
import { type ConcurrencyKey, readLine, takeKey } from './key-rows.ts'

/** How a process waits with its run. */
export interface TurnWait {
  readonly now: () => number
  readonly say?: ((text: string) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

const pollMs = 100

/**
 * Waits with a recorded run until it is its turn, and gives it the key. False: another process has cancelled the run.
 * Rejects with `Interrupted` when the caller aborts the wait: the run loses its place then, and can be resumed.
 */
export async function waitForTurn(
  database: DatabaseSyncInstance,
  concurrencyKey: ConcurrencyKey,
  runId: string,
  { now, say, signal }: TurnWait,
): Promise<boolean> {
  const controlRequests = openControlRequestRows(database, runId)
  const isMine = (): boolean =>
    inTransaction(database, () => {
      if (readLine(database, concurrencyKey).turnOf(runId) || takeKey(database, concurrencyKey, runId))
        return false
      recordTurn(database, runId)
      return true
    })
  let isSaid = false
  for (;;) {
    const cancel = controlRequests.readNew().find(({ kind }) => kind === 'cancel' || kind === 'cancel-now')
    if (cancel) {
      cancelWaiting(database, runId, cancel, now())
      return false
    }
    // Most looks need no transaction.
    const turn = readLine(database, concurrencyKey).turnOf(runId)
    if (!turn && isMine()) return true
    if (turn && !isSaid) {
      say?.(waitingText(turn))
      isSaid = true
    }
    if (signal?.aborted) throw leave(database, runId, now())
    await sleep(pollMs, undefined, signal ? { signal } : {}).catch(() => {})
  }
}

function leave(database: DatabaseSyncInstance, runId: string, nowMs: number): RunbookError {
  const message = 'the run was stopped while it waited for its turn: nothing was sent'
  inTransaction(database, () => {
    endRun(database, runId, { status: 'interrupted', error: { code: 'Interrupted', message } }, nowMs)
    recordStop(database, runId)
  })
  return new RunbookError('Interrupted', `${runId} is no longer in line: ${message}`, {
    notSent: true,
    next: `"opsbook resume ${runId}" waits again; "opsbook cancel ${runId}" cancels it.`,
  })
}
