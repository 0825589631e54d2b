import type { AttemptRecord, RecordedEvent, RunRecord } from '../../core/record/run-record.ts'
import type { Engine, UndecidedCall } from '../../engine/engine.ts'

/** What is shown of a run besides its record. */
export interface RunJournal {
  readonly events: Iterable<RecordedEvent>
  readonly attempts: Iterable<AttemptRecord>
  readonly undecided: readonly UndecidedCall[]
}

/** Reads what is to be shown of a run: its attempts only where they are. */
export async function readJournal(run: RunRecord, engine: Engine, isFull: boolean): Promise<RunJournal> {
  const { run_id: runId, status } = run
  const hasDoubt = status === 'unknown'
  return {
    events: await engine.readEvents(runId),
    attempts: isFull || hasDoubt ? await engine.readAttempts(runId) : [],
    undecided: hasDoubt ? await engine.readUndecided(run) : [],
  }
}
