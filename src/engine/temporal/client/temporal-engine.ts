import type { ActionDescription } from '../../../core/action.ts'
import { chooseQuestions, type NamedQuestions, type RecordedAnswer } from '../../../core/people/index.ts'
import {
  isEventInside,
  isExecuted,
  isPathInside,
  type RecordedEvent,
  refusedAsOver,
} from '../../../core/record/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { artifactsFolder, openRunFile } from '../../attempt/index.ts'
import type { Engine } from '../../index.ts'
import { systemIdentity } from '../../record/index.ts'
import type { AnswerOrder } from '../messages.ts'
import { findUnresolvedCalls } from '../resume/decide-continued.ts'
import { type ClientPorts, placeOf } from './client-ports.ts'
import { endAtServer, sendControlRequest } from './control-run.ts'
import { decideRun } from './decide-run.ts'
import { describeOf, describeRun } from './describe-run.ts'
import { followEvents, readEvents } from './follow-events.ts'
import { listRuns } from './list-runs.ts'
import { readAttempts } from './read-attempts.ts'
import { readEnded } from './read-ended.ts'
import { readInbox } from './read-inbox.ts'
import { readRateUse } from './read-rate-use.ts'
import { listFiles, readRun, readRunState } from './read-run.ts'
import { readSummary } from './read-summary.ts'
import { openChanges, previewPlain } from './resume-run.ts'
import { runIdOfKey } from './start-options.ts'
import { answerRun } from './talk-to-run.ts'

/** What the runs on a server are read with. */
export interface TemporalEngineOptions extends ClientPorts {
  /** The directory that the workers share; where this machine does not see it, files are not listed. */
  readonly dataDir: string
  /** What is known of actions here: it says what of a call is to be masked. Asked once, where attempts are read. */
  readonly loadActions: () => Promise<readonly ActionDescription[]>
}

/** The runs of a namespace. Closes the connection of the client with itself. */
export function openTemporalEngine(options: TemporalEngineOptions): Engine {
  const { client, taskQueue, dataDir } = options
  const ports = { client, taskQueue }
  const { address, namespace } = placeOf(ports)
  const eventsOf = createKnownEvents((runId, afterSeq) => readEvents(ports, runId, afterSeq))
  return {
    kind: 'temporal',
    location: `"${namespace}" at ${address}`,
    hasRuns: () => true,
    listRuns: (filter = {}) => listRuns(ports, filter),
    readRunState: (runId) => readRunState(runId, ports),
    readRun: (runId, { isWithoutSteps, isUnasked } = {}) =>
      readRun(runId, dataDir, ports, isWithoutSteps || isUnasked ? undefined : eventsOf, isUnasked),
    async findRunByKey(key) {
      const runId = runIdOfKey(key)
      return (await describeOf(ports, runId)) ? runId : undefined
    },
    async readAttempts(runId, { inside } = {}) {
      const attempts = await readAttempts(ports, runId, await options.loadActions().catch(() => []))
      return inside === undefined ? attempts : attempts.filter(({ path }) => isPathInside(path, inside))
    },
    readInbox: () => readInbox(ports),
    async readEvents(runId, { afterSeq = 0, inside } = {}) {
      const events = await eventsOf(runId)
      return events.filter(
        ({ seq, event }) => seq > afterSeq && (inside === undefined || isEventInside(event, inside)),
      )
    },
    async readFile(runId, name) {
      if (!(await describeOf(ports, runId))) return undefined
      return openRunFile(artifactsFolder(dataDir, runId), await listFiles(dataDir, runId), name)
    },
    async readUnresolvedCalls({ run_id: runId, status, plan }) {
      if (status !== 'unknown' && status !== 'interrupted') return []
      const { continued } = await readEnded(ports, runId, () => {})
      return findUnresolvedCalls(plan, continued)
    },
    decideOutcome: (runId, step, verdict) => decideRun(ports, runId, step, verdict),
    async compareResume(runId, changes, dependencies) {
      const options = { ...ports, ...dependencies, runId, by: systemIdentity() }
      return changes ? (await openChanges({ ...options, changes })).comparison : previewPlain(options)
    },
    followEvents: (runId, options) => followEvents(ports, runId, options),
    async requestControl(runId, controlRequest) {
      const { status } = readSummary(await describeRun(ports, runId))
      if (status === 'unknown' || status === 'interrupted') return false
      if (!isExecuted(status)) throw refusedAsOver(runId, status)
      await sendControlRequest(runId, ports, controlRequest)
      return true
    },
    answerQuestion: (runId, named, answer) => sendAnswer(runId, { ...named, ...answer }, ports),
    readRateUse: (limits) => readRateUse(ports, limits),
    endAtServer: (runId, end) => endAtServer(ports, runId, end),
    close: () => client.connection.close(),
  }
}

async function sendAnswer(
  runId: string,
  order: AnswerOrder,
  ports: ClientPorts,
): Promise<readonly RecordedAnswer[]> {
  await requireAsking(runId, order, ports)
  try {
    return await answerRun(runId, ports, order)
  } catch (thrown) {
    // Another answer was faster, and the run has ended with it.
    if (RunbookError.is(thrown) && thrown.code === 'InvalidInput') await requireAsking(runId, order, ports)
    throw thrown
  }
}

/** Throws where the run has ended: with who answered the question and when, if it was answered. */
async function requireAsking(runId: string, named: NamedQuestions, ports: ClientPorts): Promise<void> {
  const { status } = readSummary(await describeRun(ports, runId))
  if (isExecuted(status)) return
  chooseQuestions((await readRunState(runId, ports))?.questions ?? [], named, runId)
  throw refusedAsOver(runId, status)
}

/** Reads the events of a run whose numbers are greater; all of them without a number. */
export type ReadEvents = (runId: string, afterSeq: number | undefined) => Promise<readonly RecordedEvent[]>

/** A long-lived process does not keep every run that it has shown. */
const mostKnownRuns = 10

/**
 * Answers with all events of a run, and reads each of them once, also for callers at the same time: logs only grow.
 * Keeps them for as long as the engine is open, for the runs that were read last.
 */
export function createKnownEvents(read: ReadEvents): (runId: string) => Promise<readonly RecordedEvent[]> {
  const known = new Map<string, Promise<readonly RecordedEvent[]>>()
  return (runId) => {
    const before = known.get(runId) ?? Promise.resolve([])
    const now = before.then(async (events) => {
      const more = await read(runId, events.at(-1)?.seq)
      return more.length === 0 ? events : [...events, ...more]
    })
    known.delete(runId)
    for (const [oldest] of known) {
      if (known.size < mostKnownRuns) break
      known.delete(oldest)
    }
    // What was known before a read that fails is known after it.
    known.set(
      runId,
      now.catch(() => before),
    )
    return now
  }
}
