import { errorRule } from '../../core/errors.ts'
import { lookAtOpenRuns, type OpenRun } from '../../engine/temporal/client/look-at-open-runs.ts'
import type { QueuePollers } from '../../engine/temporal/client/look-for-workers.ts'
import type { ClientPorts } from '../../engine/temporal/client/talk-to-run.ts'
import { waitText } from '../show/waiting-lines.ts'
import type { Check } from './check.ts'

/** More are counted, and not listed. */
const mostListed = 5

/** Whether workers can continue the open runs, and which attempts have waited for over a minute. */
export async function checkOpenRuns(ports: ClientPorts, workers: QueuePollers): Promise<readonly Check[]> {
  const runs = await lookAtOpenRuns(ports, workers)
  return [...(workers.pollers.length > 0 ? obstacleChecks(runs) : []), ...waitingChecks(runs)]
}

function obstacleChecks(runs: readonly OpenRun[]): readonly Check[] {
  const name = 'runs'
  const stuck = runs.flatMap(({ obstacle }) => (obstacle ? [obstacle] : []))
  if (stuck.length === 0) {
    const { length } = runs
    const message = `${length === 0 ? 'none is open' : `nothing is in the way of the ${length} newest that are open`}`
    return [{ name, status: 'ok', message }]
  }
  return stuck.map(({ code, message, next = errorRule(code).next }) => ({
    name,
    status: 'fail',
    isOfRuns: true,
    message: `${code}: ${message}`,
    hints: [next],
  }))
}

function waitingChecks(runs: readonly OpenRun[]): readonly Check[] {
  const found = runs.flatMap(({ runId, waiting }) => waiting.map((attempt) => ({ runId, attempt })))
  if (found.length === 0) return []
  const now = Date.now()
  const listed = found
    .toSorted((one, other) => Date.parse(one.attempt.since) - Date.parse(other.attempt.since))
    .slice(0, mostListed)
    .map(({ runId, attempt }) => `${runId} ${attempt.path} ${waitText(attempt, now)}`)
  const left = found.length - listed.length
  return [
    {
      name: 'waiting',
      status: 'warn',
      message: `${found.length} ${found.length === 1 ? 'attempt has' : 'attempts have'} waited for over a minute`,
      hints: [...listed, ...(left > 0 ? [`and ${left} more: "opsbook show RUN" lists those of a run`] : [])],
    },
  ]
}
