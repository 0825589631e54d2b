import { type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client'
import type { RunStatus } from '../../../core/events.ts'
import { refused } from '../../../core/record/refused.ts'
import { isCarriedOut } from '../../../core/record/run-record.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { type CarriedAnswer, carriedQuery } from '../messages.ts'
import { findCutOff } from './find-cut-off.ts'
import { readSummary } from './read-summary.ts'
import { type ClientPorts, noRun, serverError, talkToRun } from './talk-to-run.ts'

/** What a run that has ended would take along, how it ended, and the execution that says so. */
export interface EndedRun extends CarriedAnswer {
  readonly status: RunStatus
  readonly executionId: string
}

/**
 * Reads what a run that has ended would take along. Rejects with `RunInUse` for one that goes on, and with `InvalidInput`
 * for one that is over for good, or where there is none.
 */
export async function readEnded(ports: ClientPorts, runId: string): Promise<EndedRun> {
  const { client } = ports
  const description = await describeRun(ports, runId)
  const { status, runId: executionId, searchAttributes } = description
  if (status.name === 'RUNNING' || status.name === 'PAUSED') {
    throw new RunbookError('RunInUse', `${runId} is being carried out by its workers`, { notSent: true })
  }
  if (status.name === 'COMPLETED')
    throw refused(`${runId} has succeeded: nothing is left to do`, 'To do it once more, start another run.')
  // The server calls only that cancelled which it was asked to cancel, and knows nothing of executions before.
  if (status.name === 'CANCELLED' || searchAttributes['OpsbookStatus']?.[0] === 'cancelled')
    throw refused(`${runId} was cancelled: start it anew`)
  const { start, carried } = await talkToRun(runId, ports, () =>
    client.workflow.getHandle(runId, executionId).query<CarriedAnswer>(carriedQuery),
  )
  const { status: ended } = readSummary(description)
  // The run itself knows how all ended that it has called, unless it was ended past it.
  if (ended !== 'interrupted')
    return { start, carried, status: isCarriedOut(ended) ? 'interrupted' : ended, executionId }
  const cutOff = await findCutOff(client, runId, executionId, carried)
  return {
    start,
    carried: { ...carried, attempts: [...carried.attempts, ...cutOff] },
    status: ended,
    executionId,
  }
}

/** What the server says of a run. Rejects with `InvalidInput` where there is none. */
export async function describeRun(ports: ClientPorts, runId: string): Promise<WorkflowExecutionDescription> {
  try {
    return await ports.client.workflow.getHandle(runId).describe()
  } catch (thrown) {
    throw thrown instanceof WorkflowNotFoundError ? noRun(runId, ports) : serverError(thrown, ports)
  }
}
