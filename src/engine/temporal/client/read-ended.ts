import type { Client, WorkflowExecutionDescription } from '@temporalio/client'
import type { RunStatus } from '../../../core/events.ts'
import type { Attempted } from '../../../core/host/index.ts'
import { isExecuted } from '../../../core/record/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { type ContinuedAttempt, type ContinuedState, isOpen } from '../continued-state.ts'
import { attemptKey, type ContinuedAnswer, continuedStateQuery } from '../messages.ts'
import { attemptedOf } from '../resume/call-ledger.ts'
import type { ClientPorts } from './client-ports.ts'
import { describeRun } from './describe-run.ts'
import { readCalls } from './read-calls.ts'
import { readSummary } from './read-summary.ts'
import { readUnsent } from './read-waiting.ts'
import { askRun, whySilent } from './talk-to-run.ts'

/** The continued state of a run that has ended, its status, and the execution that answered. */
export interface EndedRunAnswer extends ContinuedAnswer {
  readonly status: RunStatus
  readonly executionId: string
}

/**
 * Reads the continued state of a run that has ended. `refuseOver` refuses one that succeeded or was cancelled.
 * Rejects with `RunInUse` for an open run, and with `InvalidInput` where there is none.
 */
export async function readEnded(
  ports: ClientPorts,
  runId: string,
  refuseOver: (status: 'succeeded' | 'cancelled') => void,
): Promise<EndedRunAnswer> {
  const { client } = ports
  const description = await describeRun(ports, runId)
  const { status } = readSummary(description)
  if (isExecuted(status)) {
    const stuck = await whySilent(ports, runId)
    if (stuck && stuck.code !== 'NoWorker') throw stuck
    throw new RunbookError('RunInUse', `${runId} is open on its workers`, {
      notSent: true,
      next: `Wait for it to end, or end it: "opsbook cancel ${runId}".`,
    })
  }
  if (status === 'succeeded' || status === 'cancelled') refuseOver(status)
  const { runId: executionId } = description
  const { start, continued } = await askRun(runId, ports, () =>
    client.workflow.getHandle(runId, executionId).query<ContinuedAnswer>(continuedStateQuery),
  )
  const ended = { start, continued, status, executionId }
  // A run that was not terminated knows the result of all its calls.
  if (status !== 'interrupted') return ended
  const cutOff = await findCutOff(client, description, continued)
  return { ...ended, continued: { ...continued, attempts: [...continued.attempts, ...cutOff] } }
}

/**
 * The creates whose requests may have left when a run was terminated at the server. Their results come from the
 * history; without one the outcome is unknown.
 */
async function findCutOff(
  client: Client,
  description: WorkflowExecutionDescription,
  { attempts, results }: ContinuedState,
): Promise<readonly ContinuedAttempt[]> {
  const known = new Set(attempts.map(attemptKey))
  const outcomes = new Map(results)
  const unsent = await readUnsent(client, description)
  const { calls } = await readCalls(client, description.workflowId, description.runId)
  const begun = calls.flatMap(({ order: { request, safety }, ...call }) => {
    const isKnown = known.has(attemptKey(request)) || !isOpen(request.path, outcomes)
    return safety === 'create' && !isKnown ? [[attemptKey(request), { ...call, request }] as const] : []
  })
  // Another worker has the call of a lost one.
  return [...new Map(begun).values()].flatMap(
    ({ activityId, request: { path, attempt, action }, atMs, end }) => {
      if (end ? end.wasSent === false : unsent.has(activityId)) return []
      const ended = end ? attemptedOf(end, { path, action }, atMs) : { attempted: cutOff(action, path) }
      return [{ path, attempt, action, ...ended }]
    },
  )
}

function cutOff(action: string, path: string): Attempted {
  const message = `${action} was begun, and its outcome is not known: the run was ended at the server`
  const nowMs = Date.now()
  return {
    status: 'failed',
    error: { code: 'OutcomeUnknown', message, path },
    startedAtMs: nowMs,
    endedAtMs: nowMs,
  }
}
