import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { decidedFailure } from '../../core/record/decided-failure.ts'
import type { UndecidedCall, Verdict } from '../engine.ts'
import { chooseCall } from '../record/choose-call.ts'
import { takeBackDecision } from './correct-decision.ts'
import { hasDatabase, openDatabase } from './database.ts'
import { endAttempt, recordDecision, setAttemptsAside } from './decision-rows.ts'
import { inTransaction } from './in-transaction.ts'
import { noRun } from './no-run.ts'
import { takeOwnership } from './ownership.ts'
import { readRunStatus, readStoredRun } from './run-rows.ts'
import { findUndecided } from './undecided.ts'

/** How a write that nobody was sure of is settled. */
export interface DecideOptions extends Verdict {
  readonly dataDir: string
  readonly runId: string
  /** The path of the call, or the id of its step where only one call of it is in doubt. */
  readonly step: string
}

/**
 * Settles a write of which nobody knew whether it was carried out. Answers with what of the run is still in doubt;
 * once that is nothing, `resumeRun` goes on with it. Until it has gone on, another decision takes the place of the first;
 * both stay on record.
 *
 * Rejects with `InvalidInput`, and changes nothing, where there is no such call or nothing is in doubt about it; and
 * with `RunInUse` while a process carries the run out.
 */
export async function decideOutcome(options: DecideOptions): Promise<readonly UndecidedCall[]> {
  const { dataDir, runId } = options
  if (!hasDatabase(dataDir)) throw noRun(options)
  const database = openDatabase(dataDir)
  try {
    if (!readRunStatus(database, runId)) throw noRun(options)
    // What is in flight is not in doubt yet.
    const ownership = takeOwnership(dataDir, runId)
    try {
      const run = readStoredRun(database, runId)
      if (!run) throw noRun(options)
      const isOver = run.status === 'succeeded' || run.status === 'cancelled'
      const inDoubt = (): readonly UndecidedCall[] => findUndecided(database, run, isOver ? undefined : 'all')
      inTransaction(database, () => {
        const isNamed = inDoubt().some(({ path, step }) => path === options.step || step === options.step)
        if (!isNamed) takeBackDecision(database, run, options.step)
        settle(database, chooseCall(inDoubt(), options, run.status), options)
      })
      return findUndecided(database, run)
    } finally {
      ownership.release(false)
    }
  } finally {
    database.close()
  }
}

function settle(database: DatabaseSyncInstance, call: UndecidedCall, options: DecideOptions): void {
  const { runId, decision, outputs = {}, by, comment } = options
  const now = Date.now()
  const { path, attempt } = call
  const id = recordDecision(database, { runId, path, decision, by, now, comment, error: call.error })
  if (decision === 'retry') {
    setAttemptsAside(database, runId, path, id)
  } else {
    const known = decision === 'failed' ? { error: decidedFailure(call, options) } : { output: outputs }
    endAttempt(database, { runId, path, attempt, now, ...known })
  }
}
