import { setTimeout as sleep } from 'node:timers/promises'
import {
  isCarriedOut,
  type RunRecord,
  type RunStanding,
  type StepRecord,
} from '../../../core/record/run-record.ts'
import type { RunStateAnswer } from '../messages.ts'
import { askRun } from './ask-run.ts'
import { describeOf } from './describe-run.ts'
import { readKeptLog } from './kept-log.ts'
import { readState } from './read-state.ts'
import { readSummary } from './read-summary.ts'
import { readWaiting } from './read-waiting.ts'
import { type ClientPorts, serverError } from './talk-to-run.ts'

/** Where a run stands, with the records of its steps, but for those inside of loops that have ended. */
export interface StandingRun extends RunStanding, Pick<RunRecord, 'waiting_attempts'> {
  readonly steps: readonly StepRecord[]
}

/**
 * Where a run stands, from what the server lists of it and from what its workflow says. One that has ended has left that
 * in its history, and needs no worker. Undefined: there is no such run.
 */
export async function readStanding(runId: string, ports: ClientPorts): Promise<StandingRun | undefined> {
  for (let looks = 1; ; looks++) {
    const read = await readOnce(runId, ports)
    // The server closes a workflow a moment after its run has ended.
    if (!read?.isClosing || looks === mostLooks) return read?.standing
    await sleep(lookAgainMs)
  }
}

const lookAgainMs = 20
const mostLooks = 100

async function readOnce(
  runId: string,
  ports: ClientPorts,
): Promise<{ readonly standing: StandingRun; readonly isClosing: boolean } | undefined> {
  const handle = ports.client.workflow.getHandle(runId)
  const info = await describeOf(ports, runId)
  if (!info) return undefined
  const summary = readSummary(info)
  const isGoingOn = isCarriedOut(summary.status)
  const kept = isGoingOn ? undefined : await readKeptState(runId, info.runId, ports)
  const state = kept ?? (await askRun(runId, ports, () => readState(handle)))
  const { status, steps, questions, resumes, decisions, control_requests } = state
  const waiting = isGoingOn ? await readWaiting(ports.client, info) : []
  const standing = {
    ...summary,
    ...(waiting.length === 0 ? {} : { waiting_attempts: waiting }),
    status: isGoingOn && status !== 'ended' ? status : summary.status,
    steps: isGoingOn ? steps : steps.map(interrupted),
    questions,
    resumes,
    decisions,
    control_requests: isGoingOn
      ? control_requests
      : control_requests.map((controlRequest) => ({
          over_at: summary.ended_at ?? controlRequest.at,
          ...controlRequest,
        })),
  }
  return { standing, isClosing: isGoingOn && status === 'ended' }
}

/** What the run itself left as it ended. Undefined: it was ended past it. */
async function readKeptState(
  runId: string,
  executionId: string,
  ports: ClientPorts,
): Promise<RunStateAnswer | undefined> {
  try {
    return (await readKeptLog(ports.client, runId, executionId))?.state
  } catch (thrown) {
    throw serverError(thrown, ports)
  }
}

/** A step of a run that has ended goes on no more. */
export function interrupted(step: StepRecord): StepRecord {
  return step.status === 'running' ? { ...step, status: 'interrupted' } : step
}
