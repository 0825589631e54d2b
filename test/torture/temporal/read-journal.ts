import type { AttemptRecord } from '../../../src/core/record/index.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import type { Stop } from '../account.ts'
import type { Journal } from '../journal.ts'

/** What the server holds of a run that is over. */
export interface ServerRecord {
  readonly journal: Journal
  /** The same with the attempts that were lost with a worker and made again, which the journal leaves out. */
  readonly stop: Stop
}

/** Reads all that the server has of a run. */
export async function readServerRecord(engine: Engine, runId: string): Promise<ServerRecord> {
  const run = await engine.readRun(runId)
  if (!run) throw new Error(`the server has lost ${runId}`)
  const all = [...(await engine.readAttempts(runId))]
  const undecided = await engine.readUnresolvedCalls(run)
  const journal: Journal = {
    run,
    attempts: all.filter((row, index) => !isMadeAgain(row, all.slice(index + 1))),
    events: [...(await engine.readEvents(runId))],
    undecided: undecided.map(({ path }) => path),
    decisions: run.decisions,
    control_requests: [],
  }
  return { journal, stop: { journal: { ...journal, attempts: all }, lastRequest: Number.MAX_SAFE_INTEGER } }
}

function isMadeAgain({ path, attempt, status }: AttemptRecord, later: readonly AttemptRecord[]): boolean {
  return status === 'begun' && later.some((row) => row.path === path && row.attempt === attempt)
}
