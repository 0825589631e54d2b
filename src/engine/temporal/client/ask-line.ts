import { setTimeout as sleep } from 'node:timers/promises'
import { WithStartWorkflowOperation } from '@temporalio/client'
import type { Workflow } from '@temporalio/common'
import { RunbookError } from '../../../core/run-error.ts'
import {
  type AwaitedLine,
  emptyLine,
  type LineAnswer,
  type LineState,
  lineQuery,
  lineSummary,
  lineType,
  mayBeginUpdate,
  type RunInLine,
} from '../concurrency/line.ts'
import type { RunStart } from '../messages.ts'
import type { ClientPorts } from './client-ports.ts'
import { describeOf } from './describe-run.ts'
import { talkToRun } from './talk-to-run.ts'

/** A start that may begin, or the run that has its concurrency key. */
export type AskedStart = { readonly start: RunStart } | { readonly holder: string; readonly key: string }

/**
 * Asks the line of a run whether it may begin, unless it waits. Without a worker there is no answer: the run then asks as it
 * begins, and fails where it is refused.
 */
export async function askLine(ports: ClientPorts, start: RunStart): Promise<AskedStart> {
  const { line, runId } = start
  if (!line?.refuses) return { start }
  const { client, taskQueue } = ports
  const { lineId, limit } = line
  const ask = (): Promise<LineAnswer> =>
    client.workflow.executeUpdateWithStart<Workflow, LineAnswer, [RunInLine]>(mayBeginUpdate, {
      args: [{ runId, limit, refuses: true }],
      startWorkflowOperation: new WithStartWorkflowOperation<Workflow>(lineType, {
        workflowId: lineId,
        taskQueue,
        args: [emptyLine],
        workflowIdConflictPolicy: 'USE_EXISTING',
        staticSummary: lineSummary,
      }),
    })
  try {
    const { holder, mineUntilMs } = await talkToRun(lineId, ports, ask)
    return holder === undefined
      ? { start: { ...start, line: { ...line, mineUntilMs } } }
      : { holder, key: line.key }
  } catch (thrown) {
    if (RunbookError.is(thrown) && thrown.code === 'NoWorker') return { start }
    throw thrown
  }
}

/** The run that has the key where no other one may begin now. Runs can end and begin meanwhile: the line decides. */
export async function findHolder(
  ports: ClientPorts,
  { lineId, limit }: AwaitedLine,
): Promise<string | undefined> {
  const line = await describeOf(ports, lineId)
  if (line?.status.name !== 'RUNNING') return undefined
  const ask = (): Promise<LineState> => ports.client.workflow.getHandle(lineId).query<LineState>(lineQuery)
  const { holders } = await talkToRun(lineId, ports, ask)
  if (holders.length < limit) return undefined
  for (const { runId } of holders) {
    const run = await describeOf(ports, runId)
    // One that does not exist is about to start, or never will.
    if (run?.status.name !== 'RUNNING') return undefined
  }
  return holders[0]?.runId
}

/** Who has asked a line starts the run within this time. */
const startsWithinMs = 2000
const lookMs = 20

/** Whether a run exists, or does soon. */
export async function existsSoon(ports: ClientPorts, runId: string): Promise<boolean> {
  for (const endMs = Date.now() + startsWithinMs; Date.now() < endMs; await sleep(lookMs))
    if (await describeOf(ports, runId)) return true
  return false
}
