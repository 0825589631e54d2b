import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { waitingText } from '../../../core/record/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { cancelWaiting } from '../control/close-run.ts'
import { inTransaction } from '../database/database.ts'
import { type ControlRequestRow, openControlRequestRows } from '../tables/control-request-rows.ts'
import { endRun, recordStop, recordWaitOver } from '../tables/run-rows.ts'
import { type ConcurrencyKey, readLine, takeKey } from './key-rows.ts'

/** How a process waits with its run. */
export interface LineWaitOptions {
  readonly now: () => number
  readonly say?: ((text: string) => void) | undefined
  readonly signal?: AbortSignal | undefined
  /** Records that the run begins, in the transaction that gives it the key. */
  readonly begin: () => void
  /** Withdraws the run from the line after the caller has aborted the wait. Returns what is thrown. */
  readonly leave: () => RunbookError
  /** Ends the run as another process has requested. False: the request takes effect once the run has the key. */
  readonly cancel: (request: ControlRequestRow) => boolean
}

const pollMs = 100

/**
 * Waits with a recorded run until the key is free for it, and gives it the key. False: another process has cancelled the run.
 * Rejects with `Interrupted` when the caller aborts the wait: the run loses its place then, and can be resumed.
 */
export async function waitInLine(
  database: DatabaseSyncInstance,
  concurrencyKey: ConcurrencyKey,
  runId: string,
  { now, say, signal, begin, leave, cancel }: LineWaitOptions,
): Promise<boolean> {
  const controlRequests = openControlRequestRows(database, runId)
  const isMine = (): boolean =>
    inTransaction(database, () => {
      if (readLine(database, concurrencyKey).placeOf(runId) || takeKey(database, concurrencyKey, runId))
        return false
      begin()
      return true
    })
  let isSaid = false
  for (;;) {
    // A pause takes effect before the first call. So does a cancellation of a run that has something to clean up.
    for (const request of controlRequests.readNew()) {
      if (request.kind.startsWith('cancel') && cancel(request)) return false
      controlRequests.take(request.id, now())
    }
    // Most looks need no transaction.
    const place = readLine(database, concurrencyKey).placeOf(runId)
    if (!place && isMine()) return true
    if (place && !isSaid) {
      say?.(waitingText(place))
      isSaid = true
    }
    if (signal?.aborted) throw leave()
    await sleep(pollMs, undefined, signal ? { signal } : {}).catch(() => {})
  }
}

/** Waits with a new run, of which nothing is to be cleaned up. */
export function waitToStart(
  database: DatabaseSyncInstance,
  concurrencyKey: ConcurrencyKey,
  runId: string,
  wait: Pick<LineWaitOptions, 'now' | 'say' | 'signal'>,
): Promise<boolean> {
  return waitInLine(database, concurrencyKey, runId, {
    ...wait,
    begin: () => recordWaitOver(database, runId),
    leave: () => leaveLine(database, runId, wait.now()),
    cancel(request) {
      cancelWaiting(database, runId, request, wait.now())
      return true
    },
  })
}

function leaveLine(database: DatabaseSyncInstance, runId: string, nowMs: number): RunbookError {
  const message = 'the run was stopped while it waited in line: nothing was sent'
  inTransaction(database, () => {
    endRun(database, runId, { status: 'interrupted', error: { code: 'Interrupted', message } }, nowMs)
    recordStop(database, runId)
  })
  return new RunbookError('Interrupted', `${runId} is no longer in line: ${message}`, {
    notSent: true,
    next: `"opsbook resume ${runId}" waits again; "opsbook cancel ${runId}" cancels it.`,
  })
}
