import { randomUUID } from 'node:crypto'
import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client'
import type { RunStatus } from '../../../core/events.ts'
import { refused } from '../../../core/record/refused.ts'
import { isCarriedOut } from '../../../core/record/run-record.ts'
import type { RunbookError } from '../../../core/run-error.ts'
import type { UndecidedCall } from '../../engine.ts'
import { type CarriedAnswer, carriedQuery, type RunStart, runType } from '../messages.ts'
import { decideCarried, type Verdict } from '../resume/decide-carried.ts'
import { findUndecided } from '../resume/find-undecided.ts'
import { reopenCarried } from '../resume/reopen-carried.ts'
import { findCutOff } from './find-cut-off.ts'
import { listedAs } from './listed-as.ts'
import { readSummary } from './read-summary.ts'

/** Which run goes on, and who wants it. */
export interface ResumeOptions {
  readonly client: Client
  readonly runId: string
  readonly taskQueue: string
  readonly by: string
}

/**
 * Goes on with a run that has ended: as another execution of its workflow, which takes along what was done. Answers with
 * what the new execution was started with. Rejects with `InvalidInput` for a run that goes on, or that is over for good.
 */
export async function resumeRun(options: ResumeOptions): Promise<RunStart> {
  const ended = await readEnded(options, 'resume')
  const undecided = findUndecided(ended.start.plan, ended.carried)
  if (undecided.length > 0) throw stillUndecided(options.runId, undecided)
  return beginAgain(options, ended)
}

/**
 * Settles a write of which nobody knew whether it was carried out. Once nothing is in doubt any more the run goes on;
 * until then what was decided is kept in an execution that ends at once as unknown.
 */
export async function decideRun(
  options: ResumeOptions,
  choose: (undecided: readonly UndecidedCall[]) => UndecidedCall,
  verdict: Verdict,
): Promise<RunStart> {
  const ended = await readEnded(options, 'decide')
  const { start, carried } = ended
  const call = choose(findUndecided(start.plan, carried))
  return beginAgain(options, { ...ended, carried: decideCarried(carried, call, verdict, Date.now()) })
}

/** What a run that has ended would take along, how it ended, and the execution that says so. */
interface Ended extends CarriedAnswer {
  readonly status: RunStatus
  readonly executionId: string
}

async function readEnded(
  { client, runId }: Pick<ResumeOptions, 'client' | 'runId'>,
  verb: 'resume' | 'decide',
): Promise<Ended> {
  const description = await describe(client, runId)
  const { status, runId: executionId, searchAttributes } = description
  if (status.name === 'RUNNING') throw refused(`${runId} goes on: there is nothing to ${verb}`)
  if (status.name === 'COMPLETED') throw refused(`${runId} has succeeded: nothing is left to do`)
  // The server calls only that cancelled which it was asked to cancel, and knows nothing of executions before.
  if (status.name === 'CANCELLED' || searchAttributes['OpsbookStatus']?.[0] === 'cancelled')
    throw refused(`${runId} was cancelled: start it anew`)
  const answer = await client.workflow.getHandle(runId, executionId).query<CarriedAnswer>(carriedQuery)
  const { status: ended } = readSummary(description)
  return { ...answer, status: isCarriedOut(ended) ? 'interrupted' : ended, executionId }
}

async function describe(client: Client, runId: string): Promise<WorkflowExecutionDescription> {
  try {
    return await client.workflow.getHandle(runId).describe()
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) throw refused(`there is no run ${runId}`)
    throw thrown
  }
}

async function beginAgain(
  { client, runId, taskQueue, by }: ResumeOptions,
  { start, carried, status, executionId }: Ended,
): Promise<RunStart> {
  const reopened = reopenCarried(start.plan, carried, status)
  const cutOff = await findCutOff(client, runId)
  const at = new Date().toISOString()
  const next: RunStart = {
    ...start,
    carried: {
      ...reopened,
      // They are heard of as attempts that are in doubt, and are not made again.
      attempts: [...reopened.attempts, ...cutOff],
      isResumed: true,
      // What had not ended begins anew in the log.
      told: [],
      resumes: [...reopened.resumes, { number: reopened.resumes.length + 1, by, at }],
    },
  }
  // What somebody else has made meanwhile is not in it.
  const last = await describe(client, runId)
  if (last.runId !== executionId) throw refused(`${runId} goes on: somebody else was faster`)
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

function stillUndecided(runId: string, undecided: readonly UndecidedCall[]): RunbookError {
  const list = undecided.map(({ path }) => path).join(', ')
  return refused(`nobody knows what became of ${list} in ${runId}: decide that first`)
}
