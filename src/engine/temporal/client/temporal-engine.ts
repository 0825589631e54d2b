import type { ActionDescription } from '../../../core/action.ts'
import { refusedAsOver } from '../../../core/record/refused.ts'
import { isCarriedOut } from '../../../core/record/run-record.ts'
import type { Engine } from '../../engine.ts'
import { type AnswerOrder, answerUpdate } from '../messages.ts'
import { findUndecided } from '../resume/find-undecided.ts'
import { decideRun } from './decide-run.ts'
import { describeOf, describeRun } from './describe-run.ts'
import { endAtServer } from './end-at-server.ts'
import { followEvents, readEvents } from './follow-events.ts'
import { createKnownEvents } from './known-events.ts'
import { listRuns } from './list-runs.ts'
import { readAttempts } from './read-attempts.ts'
import { readEnded } from './read-ended.ts'
import { readRun } from './read-run.ts'
import { readStanding } from './read-standing.ts'
import { readSummary } from './read-summary.ts'
import { runIdOfKey } from './run-ids.ts'
import { sendControlRequest } from './send-control-request.ts'
import { type ClientPorts, placeOf, serverError, talkToRun } from './talk-to-run.ts'

/** What the runs on a server are read with. */
export interface TemporalEngineOptions extends ClientPorts {
  /** The directory that the workers share; where this machine does not see it, files are not listed. */
  readonly dataDir: string
  /** What is known of actions here: it says what of a call is to be masked. Asked once, where attempts are read. */
  readonly loadActions: () => Promise<readonly ActionDescription[]>
}

/** The runs of a namespace. Closes the connection of the client with itself. */
export function openTemporalEngine({
  client,
  taskQueue,
  dataDir,
  loadActions,
}: TemporalEngineOptions): Engine {
  const ports = { client, taskQueue }
  const { address, namespace } = placeOf(ports)
  const handleOf = (runId: string): ReturnType<typeof client.workflow.getHandle> =>
    client.workflow.getHandle(runId)
  const eventsOf = createKnownEvents((runId, afterSeq) => readEvents(ports, runId, afterSeq))
  const attemptsOf: Engine['readAttempts'] = async (runId) => {
    try {
      const actions = await loadActions().catch(() => [])
      return await readAttempts(client, runId, (name) => actions.find((action) => action.name === name))
    } catch (thrown) {
      throw serverError(thrown, ports)
    }
  }
  return {
    kind: 'temporal',
    place: `"${namespace}" at ${address}`,
    hasRuns: () => true,
    listRuns: (filter = {}) => listRuns(ports, filter),
    readStanding: (runId) => readStanding(runId, ports),
    readRun: (runId) => readRun(runId, dataDir, ports, eventsOf),
    async findRunByKey(key) {
      const runId = runIdOfKey(key)
      return (await describeOf(ports, runId)) ? runId : undefined
    },
    readAttempts: attemptsOf,
    readEvents: eventsOf,
    async readUndecided({ run_id: runId, status, plan }) {
      if (status !== 'unknown' && status !== 'interrupted') return []
      const { carried } = await readEnded(ports, runId, () => {})
      return findUndecided(plan, carried)
    },
    decideOutcome: (runId, step, verdict) => decideRun(ports, runId, step, verdict),
    followEvents: (runId, options) => followEvents(ports, runId, options),
    async requestControl(runId, controlRequest) {
      await requireOpen(runId, ports)
      await sendControlRequest(runId, ports, controlRequest)
      return true
    },
    async answerQuestion(runId, step, answer) {
      await requireOpen(runId, ports)
      const order = { step, ...answer }
      return talkToRun(runId, ports, () =>
        handleOf(runId).executeUpdate<string, [AnswerOrder]>(answerUpdate, { args: [order] }),
      )
    },
    endAtServer: (runId, end) => endAtServer(ports, runId, end),
    close: () => client.connection.close(),
  }
}

async function requireOpen(runId: string, ports: ClientPorts): Promise<void> {
  const { status } = readSummary(await describeRun(ports, runId))
  if (!isCarriedOut(status)) throw refusedAsOver(runId, status)
}
