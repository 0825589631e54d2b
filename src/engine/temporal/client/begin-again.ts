import { randomUUID } from 'node:crypto'
import { WorkflowExecutionAlreadyStartedError, type WorkflowHandle } from '@temporalio/client'
import { type Concurrency, concurrencyOf } from '../../../core/concurrency-key.ts'
import type { RunFacts } from '../../../core/interpret.ts'
import type { Identity } from '../../../core/record/identity.ts'
import type { ResumeRecord } from '../../../core/record/run-history.ts'
import { RunbookError } from '../../../core/run-error.ts'
import type { RunStart } from '../messages.ts'
import { runTypeOf } from '../run-type.ts'
import { describeRun } from './describe-run.ts'
import { listedAs } from './listed-as.ts'
import { outcomeOf } from './outcome-of.ts'
import type { EndedRun } from './read-ended.ts'
import { refuseTooLarge } from './refuse-too-large.ts'
import { startWithConcurrencyKey } from './start-with-concurrency-key.ts'
import { type ClientPorts, serverError, talkToRun } from './talk-to-run.ts'
import { untilBegun } from './until-begun.ts'

/** Which run goes on, and who wants it. */
export interface ResumeOptions extends ClientPorts {
  readonly runId: string
  readonly by: Identity
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
  { by, connection, approve, ...ports }: ResumeOptions,
  ended: EndedRun,
  { plan, inputs, carried: { decided: _, ...carried }, resume = {} }: NextRun,
): Promise<RunStart> {
  const { keeps: _keeps, ...start } = ended.start
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
  await startExecution(ports, ended, next, concurrencyOf(plan, inputs, factsOf(start)))
  return next
}

/** Begins an execution that ends at once as the run had ended, and keeps what somebody has said of it. */
export async function keepDecided(
  ports: ClientPorts,
  ended: EndedRun,
  carried: NonNullable<RunStart['carried']>,
): Promise<void> {
  const { start, status, executionId } = ended
  const { runId } = start
  const handleOf = (execution?: string): WorkflowHandle => ports.client.workflow.getHandle(runId, execution)
  const keeps = start.keeps ?? (await outcomeOf(handleOf(executionId)).catch(() => ({ status })))
  await startExecution(ports, ended, { ...start, keeps, carried })
  await talkToRun(runId, ports, () => outcomeOf(handleOf()))
}

async function startExecution(
  ports: ClientPorts,
  { start: { runId }, executionId }: EndedRun,
  next: RunStart,
  concurrency?: Concurrency,
): Promise<void> {
  const { client, taskQueue } = ports
  await refuseTooLarge(client, next, 'what the run takes along is')
  // What somebody else has made meanwhile is not in it.
  const last = await describeRun(ports, runId)
  if (last.runId !== executionId) throw wasFaster(runId)
  const startToken = randomUUID()
  const listed = listedAs(next, startToken)
  if (concurrency) return goOnAlone(ports, next, { startToken, listed, key: concurrency.key })
  try {
    await client.workflow.start(runTypeOf(next.plan.name), {
      workflowId: runId,
      taskQueue,
      args: [next],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      ...listed,
    })
  } catch (thrown) {
    throw thrown instanceof WorkflowExecutionAlreadyStartedError
      ? wasFaster(runId)
      : serverError(thrown, ports)
  }
}

/** A run that has lost its concurrency key to another one needs it to go on, and replaces nobody. */
async function goOnAlone(
  ports: ClientPorts,
  start: RunStart,
  {
    startToken,
    listed,
    key,
  }: { readonly startToken: string; readonly listed: ReturnType<typeof listedAs>; readonly key: string },
): Promise<void> {
  const { runId, plan } = start
  const begun = await startWithConcurrencyKey(
    ports,
    { start, listed, isResumed: true },
    { key, onConflict: 'reject' },
  )
  if (begun.kind !== 'begun') return
  const awaited = { ...begun, runId, startToken, runbook: plan.name, key }
  if ((await untilBegun(ports, awaited, {})) === 'of-another') throw wasFaster(runId)
}

function factsOf({ runId, startedAtMs }: RunStart): RunFacts {
  return { id: runId, started_at: new Date(startedAtMs).toISOString() }
}

function wasFaster(runId: string): RunbookError {
  return new RunbookError('RunInUse', `${runId} goes on: somebody else was faster`, { notSent: true })
}
