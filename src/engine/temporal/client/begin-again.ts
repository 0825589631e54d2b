import { randomUUID } from 'node:crypto'
import type { Client } from '@temporalio/client'
import type { ResumeRecord } from '../../../core/record/run-history.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { type RunStart, runType } from '../messages.ts'
import { listedAs } from './listed-as.ts'
import { describeRun, type EndedRun } from './read-ended.ts'
import { refuseTooLarge } from './refuse-too-large.ts'

/** Which run goes on, and who wants it. */
export interface ResumeOptions {
  readonly client: Client
  readonly runId: string
  readonly taskQueue: string
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
  { client, runId, taskQueue, by, connection, approve }: ResumeOptions,
  { start, executionId }: Pick<EndedRun, 'start' | 'executionId'>,
  { plan, inputs, carried, resume = {} }: NextRun,
): Promise<RunStart> {
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
  const last = await describeRun(client, runId)
  if (last.runId !== executionId)
    throw new RunbookError('RunInUse', `${runId} goes on: somebody else was faster`, { notSent: true })
  await client.workflow.start(runType, {
    workflowId: runId,
    taskQueue,
    args: [next],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'FAIL',
    ...listedAs(next, randomUUID()),
  })
  return next
}
