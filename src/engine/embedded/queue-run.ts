import { refuseWhatCannotWork } from '../attempt/refuse-what-cannot-work.ts'
import { createRunId } from '../record/run-id.ts'
import { openDatabase } from './database.ts'
import { fileNumber } from './file-number.ts'
import { concurrencyOfRun, insertOrMeet, joinHolder, refuseOtherRun } from './meet-run.ts'
import { recordWaiting } from './record-waiting.ts'
import type { RunOptions } from './run-options.ts'
import type { NewRun } from './run-rows.ts'

/** What a run that others carry out is recorded with. */
export type QueueOptions = Pick<
  RunOptions,
  'dataDir' | 'actions' | 'plan' | 'inputs' | 'key' | 'connection' | 'approve' | 'say'
>

/** The run that was recorded; or the one that is there in its place. */
export interface QueuedRun {
  readonly runId: string
  readonly isJoined: boolean
}

/**
 * Records a run for `opsbook serve` to take it up. Rejects with `InvalidInput` for arguments that can be known to be wrong,
 * and with `ConcurrencyConflict` where another run goes on and the runbook says `reject`.
 */
export function queueRun(options: QueueOptions): QueuedRun {
  refuseWhatCannotWork(options)
  const { dataDir, plan, inputs, key, connection, approve } = options
  const database = openDatabase(dataDir)
  try {
    const nowMs = Date.now()
    const run: NewRun = {
      id: createRunId(new Date(nowMs)),
      plan,
      inputs,
      startedAtMs: nowMs,
      fileNumber: fileNumber(dataDir),
      approvesAll: approve === 'all',
      ...(key === undefined ? {} : { key }),
      ...(connection === undefined ? {} : { connection }),
    }
    const concurrency = concurrencyOfRun(run)
    const record = (): void => recordWaiting(database, dataDir, run, concurrency?.key)
    // Whatever it replaces is asked to end in the same transaction.
    const inTheWay = concurrency?.onConflict === 'replace' ? undefined : concurrency
    const met = insertOrMeet(database, dataDir, run, inTheWay, record)
    if (!met) return { runId: run.id, isJoined: false }
    if ('sameKey' in met) {
      refuseOtherRun(met.sameKey, options)
      return { runId: met.sameKey.id, isJoined: true }
    }
    return { runId: joinHolder(database, met, options), isJoined: true }
  } finally {
    database.close()
  }
}
