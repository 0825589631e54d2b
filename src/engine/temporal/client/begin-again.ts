import { randomUUID } from 'node:crypto'
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import type { ResumeRecord } from '../../../core/record/run-history.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { type RunStart, runType } from '../messages.ts'
import { listedAs } from './listed-as.ts'
import { describeRun, type EndedRun } from './read-ended.ts'
import { refuseTooLarge } from './refuse-too-large.ts'
import { type ClientPorts, serverError } from './talk-to-run.ts'

/** Which run goes on, and who wants it. */
export interface ResumeOptions extends ClientPorts {
  readonly runId: string
  readonly by: string
  /** Another default connection than the one it was started with. */
  readonly connection?: string
  /** `all`: every question is answered with yes from now on, in the name of `by`. */
  readonly approve?: 'all'
}

/** What a run goes on with. */
export interface NextRun extends Pick<RunStart, 'plan' | 'inputs'> {
  readonly carried: NonNullable<RunStart['carried']>
  /** What is said of the resume besides who and when. */
  readonly resume?: Omit<ResumeRecord, 'number' | 'by' | 'at'>
}

/**
 * Begins another execution of the workflow of a run that has ended. Rejects with `RunInUse` where somebody else was
 * faster.
 */
export async function beginAgain(
  options: ResumeOptions,
  { start, executionId }: Pick<EndedRun, 'start' | 'executionId'>,
  { plan, inputs, carried, resume = {} }: NextRun,
): Promise<RunStart> {
  const { client, runId, taskQueue, by, connection, approve } = options
  const at = new Date().toISOString()
  const next: RunStart = {
    ...start,
    plan,
    inputs,
    ...(connection === undefined ? {} : { connection }),
    ...(approve === 'all' ? { approvedBy: by } : {}),
    carried: {
      ...carried,
      isResumed: true,
      // What had not ended begins anew in the log.
      told: [],
      resumes: [...carried.resumes, { number: carried.resumes.length + 1, by, at, ...resume }],
    },
  }
  await refuseTooLarge(client, next, 'what the run takes along is')
  // What somebody else has made meanwhile is not in it.
  const last = await describeRun(options, runId)
  if (last.runId !== executionId) throw wasFaster(runId)
  try {
    await client.workflow.start(runType, {
      workflowId: runId,
      taskQueue,
      args: [next],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      ...listedAs(next, randomUUID()),
    })
    return next
  } catch (thrown) {
    throw thrown instanceof WorkflowExecutionAlreadyStartedError
      ? wasFaster(runId)
      : serverError(thrown, options)
  }
}

function wasFaster(runId: string): RunbookError {
  return new RunbookError('RunInUse', `${runId} goes on: somebody else was faster`, { notSent: true })
}
