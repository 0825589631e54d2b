import { artifactsFolder, openRunFile } from '../../attempt/index.ts'
import type { Engine } from '../../index.ts'
import { answerQuestion } from '../control/answer-question.ts'
import { decideOutcome } from '../control/decide-outcome.ts'
import { requestControl } from '../control/request-control.ts'
import { hasDatabase } from '../database/database.ts'
import { readRateUse } from '../limits/read-rate-use.ts'
import { compareResume } from '../resume/compare-resume.ts'
import { openRunReader, type RunReader } from './run-reader.ts'

/** The runs of a data directory. Creates nothing if there are none. */
export function openEmbeddedEngine(dataDir: string): Engine {
  let opened: RunReader | undefined
  const reader = (): RunReader | undefined => {
    opened ??= openRunReader(dataDir)
    return opened
  }
  return {
    kind: 'embedded',
    location: dataDir,
    hasRuns: () => hasDatabase(dataDir),
    listRuns: async (filter) => reader()?.listRuns(filter) ?? [],
    readRunState: async (runId) => reader()?.readRunState(runId),
    readRun: async (runId, part) => reader()?.readRun(runId, part),
    findRunByKey: async (key) => reader()?.findRunByKey(key),
    readAttempts: async (runId, { inside } = {}) =>
      again(() => reader()?.readAttempts(runId, inside) ?? [].values()),
    readInbox: async () => reader()?.readInbox() ?? { runs: [], unread: [], hasMore: false },
    readEvents: async (runId, { afterSeq = 0, inside } = {}) =>
      again(() => reader()?.readEvents(runId, afterSeq, inside) ?? [].values()),
    readFile: (runId, name) =>
      openRunFile(artifactsFolder(dataDir, runId), reader()?.listFiles(runId) ?? [], name),
    readUnresolvedCalls: async ({ run_id: runId }) => reader()?.readUnresolvedCalls(runId) ?? [],
    compareResume: async (runId, changes, dependencies) =>
      compareResume({ dataDir, runId, ...(changes ? { changes } : {}), ...dependencies }),
    async *followEvents(runId, options) {
      yield* reader()?.followEvents(runId, options) ?? []
    },
    decideOutcome: (runId, step, verdict) => decideOutcome({ dataDir, runId, step, ...verdict }),
    requestControl: (runId, controlRequest) => requestControl({ dataDir, runId, ...controlRequest }),
    answerQuestion: (runId, named, answer) => answerQuestion({ ...named, dataDir, runId, answer }),
    readRateUse: async (limits) => readRateUse(dataDir, limits),
    async close() {
      opened?.close()
    },
  }
}

/** Reads the rows again for each iteration, so that large rows are never held together. */
function again<T>(iterate: () => IterableIterator<T>): Iterable<T> {
  return { [Symbol.iterator]: iterate }
}
