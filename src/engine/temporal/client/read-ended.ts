import type { RunStatus } from '../../../core/events.ts'
import { isCarriedOut } from '../../../core/record/run-record.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { type CarriedAnswer, carriedQuery } from '../messages.ts'
import { askRun } from './ask-run.ts'
import { describeRun } from './describe-run.ts'
import { findCutOff } from './find-cut-off.ts'
import { readSummary } from './read-summary.ts'
import { type ClientPorts, whySilent } from './talk-to-run.ts'

/** What a run that has ended would take along, how it ended, and the execution that says so. */
export interface EndedRun extends CarriedAnswer {
  readonly status: RunStatus
  readonly executionId: string
}

/**
 * Reads what a run that has ended would take along. `refuseOver` refuses one that has succeeded or was cancelled. Rejects
 * with `RunInUse` for one that goes on, and with `InvalidInput` where there is none.
 */
export async function readEnded(
  ports: ClientPorts,
  runId: string,
  refuseOver: (status: 'succeeded' | 'cancelled') => void,
): Promise<EndedRun> {
  const { client } = ports
  const description = await describeRun(ports, runId)
  const { status } = readSummary(description)
  if (isCarriedOut(status)) {
    const stuck = await whySilent(ports, runId)
    if (stuck && stuck.code !== 'NoWorker') throw stuck
    throw new RunbookError('RunInUse', `${runId} is being carried out by its workers`, {
      notSent: true,
      next: `Wait for it to end, or end it: "opsbook cancel ${runId}".`,
    })
  }
  if (status === 'succeeded' || status === 'cancelled') refuseOver(status)
  const { runId: executionId } = description
  const { start, carried } = await askRun(runId, ports, () =>
    client.workflow.getHandle(runId, executionId).query<CarriedAnswer>(carriedQuery),
  )
  const ended = { start, carried, status, executionId }
  // The run itself knows how all ended that it has called, unless it was ended past it.
  if (status !== 'interrupted') return ended
  const cutOff = await findCutOff(client, runId, executionId, carried)
  return { ...ended, carried: { ...carried, attempts: [...carried.attempts, ...cutOff] } }
}
