import type { Engine } from '../engine.ts'
import { answerQuestion } from './answer-question.ts'
import { hasDatabase } from './database.ts'
import { decideOutcome } from './decide-outcome.ts'
import { requestControl } from './request-control.ts'
import { openRunReader, type RunReader } from './run-reader.ts'

/** The runs of a data directory. Nothing is made where there are none. */
export function openEmbeddedEngine(dataDir: string): Engine {
  let opened: RunReader | undefined
  const reader = (): RunReader | undefined => {
    opened ??= openRunReader(dataDir)
    return opened
  }
  return {
    kind: 'embedded',
    place: dataDir,
    hasRuns: () => hasDatabase(dataDir),
    listRuns: async (filter) => reader()?.listRuns(filter) ?? [],
    readStanding: async (runId) => reader()?.readRun(runId),
    readRun: async (runId) => reader()?.readRun(runId),
    findRunByKey: async (key) => reader()?.findRunByKey(key),
    readAttempts: async (runId) => again(() => reader()?.readAttempts(runId) ?? [].values()),
    readEvents: async (runId) => again(() => reader()?.readEvents(runId) ?? [].values()),
    readUndecided: async ({ run_id: runId }) => reader()?.readUndecided(runId) ?? [],
    async *followEvents(runId, options) {
      yield* reader()?.followEvents(runId, options) ?? []
    },
    decideOutcome: (runId, step, verdict) => decideOutcome({ dataDir, runId, step, ...verdict }),
    requestControl: (runId, controlRequest) => requestControl({ dataDir, runId, ...controlRequest }),
    answerQuestion: (runId, step, answer) => answerQuestion({ dataDir, runId, step, answer }),
    async close() {
      opened?.close()
    },
  }
}

/** Rows are read anew each time: what is large is never held as a whole. */
function again<T>(iterate: () => IterableIterator<T>): Iterable<T> {
  return { [Symbol.iterator]: iterate }
}
