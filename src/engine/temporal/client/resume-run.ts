import { randomUUID } from 'node:crypto'
import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client'
import { concurrencyOf } from '../../../core/concurrency-key.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { type CarriedAnswer, carriedQuery, type RunStart, runType } from '../messages.ts'
import { decideCarried, type Verdict } from '../resume/decide-carried.ts'
import { findUndecided, type UndecidedCall } from '../resume/find-undecided.ts'
import { reopenCarried } from '../resume/reopen-carried.ts'
import { findCutOff } from './find-cut-off.ts'
import { listedAs } from './listed-as.ts'
import { startAlone } from './start-alone.ts'
import type { ClientPorts } from './talk-to-run.ts'
import { untilBegun } from './until-begun.ts'

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
  const { start, carried, executionId } = await readEnded(options, 'resume')
  const undecided = findUndecided(start.plan, carried)
  if (undecided.length > 0) throw stillUndecided(options.runId, undecided)
  return beginAgain(options, { start, carried, executionId })
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
  const { start, carried, executionId } = await readEnded(options, 'decide')
  const call = choose(findUndecided(start.plan, carried))
  return beginAgain(options, {
    start,
    carried: decideCarried(carried, call, verdict, Date.now()),
    executionId,
  })
}

/** What a run that has ended would take along, and the execution that says so. */
interface Ended extends CarriedAnswer {
  readonly executionId: string
}

async function readEnded(
  { client, runId }: Pick<ResumeOptions, 'client' | 'runId'>,
  verb: 'resume' | 'decide',
): Promise<Ended> {
  const { status, runId: executionId, searchAttributes } = await describe(client, runId)
  if (status.name === 'RUNNING') throw refused(`${runId} goes on: there is nothing to ${verb}`)
  if (status.name === 'COMPLETED') throw refused(`${runId} has succeeded: nothing is left to do`)
  // The server calls only that cancelled which it was asked to cancel, and knows nothing of executions before.
  if (status.name === 'CANCELLED' || searchAttributes['OpsbookStatus']?.[0] === 'cancelled')
    throw refused(`${runId} was cancelled: start it anew`)
  const answer = await client.workflow.getHandle(runId, executionId).query<CarriedAnswer>(carriedQuery)
  return { ...answer, executionId }
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
  { start, carried, executionId }: Ended,
): Promise<RunStart> {
  const reopened = reopenCarried(start.plan, carried)
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
  await goOn({ client, taskQueue }, next)
  return next
}

/** Starts the next execution. A run that has lost its concurrency key to another one needs it to go on, and replaces nobody. */
async function goOn(ports: ClientPorts, start: RunStart): Promise<void> {
  const { client, taskQueue } = ports
  const { runId, plan, inputs, startedAtMs } = start
  const startToken = randomUUID()
  const listed = listedAs(start, startToken)
  const facts = { id: runId, started_at: new Date(startedAtMs).toISOString() }
  const concurrency = concurrencyOf(plan, inputs, facts)
  if (!concurrency) {
    await client.workflow.start(runType, {
      workflowId: runId,
      taskQueue,
      args: [start],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      ...listed,
    })
    return
  }
  const { key } = concurrency
  const kept = { start, listed, isResumed: true } as const
  const begun = await startAlone(ports, kept, { key, onConflict: 'reject' })
  if (begun.kind !== 'begun') return
  const awaited = { ...begun, runId, startToken, runbook: plan.name, key }
  if ((await untilBegun(ports, awaited, {})) === 'of-another')
    throw refused(`${runId} goes on: somebody else was faster`)
}

function stillUndecided(runId: string, undecided: readonly UndecidedCall[]): RunbookError {
  const list = undecided.map(({ path }) => path).join(', ')
  return refused(`nobody knows what became of ${list} in ${runId}: decide that first`)
}

function refused(message: string): RunbookError {
  return new RunbookError('InvalidInput', message, { notSent: true })
}
