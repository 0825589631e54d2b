import { randomUUID } from 'node:crypto'
import type { WorkflowHandle } from '@temporalio/client'
import type { Identity } from '../../../core/events.ts'
import type { RunContext } from '../../../core/interpret.ts'
import type { ControlRequest, ResumeRecord } from '../../../core/record/index.ts'
import { concurrencyConflict, concurrencyOf } from '../../../core/record/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { recordedTime } from '../../../core/times/index.ts'
import { awaitedLineOf } from '../concurrency/line-id.ts'
import type { RunStart } from '../messages.ts'
import { askLine } from './ask-line.ts'
import type { ClientPorts } from './client-ports.ts'
import { describeRun } from './describe-run.ts'
import { withNextExecutionLock } from './next-execution-lock.ts'
import type { EndedRunAnswer } from './read-ended.ts'
import { outcomeOf } from './read-summary.ts'
import { refuseTooLarge, startExecution } from './start-options.ts'
import { talkToRun } from './talk-to-run.ts'

/** The run to resume, and by whom. */
export interface ResumeOptions extends ClientPorts {
  readonly runId: string
  readonly by: Identity
  /** Another default connection than the one it was started with. */
  readonly connection?: string
  /** Cancels the run: it makes no new calls but those of its clean-up. Unknown outcomes stay unknown. */
  readonly cancel?: ControlRequest
  /** `all`: every question is approved in the name of `by`. */
  readonly approve?: 'all'
}

/** The input of the next execution. */
export interface NextRun extends Pick<RunStart, 'plan' | 'inputs'> {
  readonly continued: NonNullable<RunStart['continued']>
  /** The rest of the resume record. */
  readonly resume?: Omit<ResumeRecord, 'number' | 'by' | 'at'>
}

/**
 * Starts the next execution of a run that has ended. Rejects with `RunInUse` where another process has
 * continued it.
 */
export async function startNextExecution(
  { by, connection, approve, ...ports }: ResumeOptions,
  ended: EndedRunAnswer,
  { plan, inputs, continued: { decided: _, ...continued }, resume = {} }: NextRun,
): Promise<RunStart> {
  // Who resumes says anew whether all is approved: the earlier yes was for the run as it was.
  const { keeps: _keeps, line: _line, approvedBy: _approvedBy, ...start } = ended.start
  const line = awaitedLineOf(ports.taskQueue, plan.name, concurrencyOf(plan, inputs, factsOf(start)))
  const at = new Date().toISOString()
  const next: RunStart = {
    ...start,
    plan,
    inputs,
    ...(line === undefined ? {} : { line }),
    ...(connection === undefined ? {} : { connection }),
    ...(approve === 'all' ? { approvedBy: by } : {}),
    continued: {
      ...continued,
      isResumed: true,
      // The log shows unfinished steps as started again.
      emitted: [],
      resumes: [...continued.resumes, { number: continued.resumes.length + 1, by, at, ...resume }],
    },
  }
  await startNext(ports, ended, next)
  return next
}

/** Records a decision: starts an execution that ends as the run had ended. */
export async function recordDecision(
  ports: ClientPorts,
  ended: EndedRunAnswer,
  continued: NonNullable<RunStart['continued']>,
): Promise<void> {
  const { start, status, executionId } = ended
  const { runId } = start
  const handleOf = (execution?: string): WorkflowHandle => ports.client.workflow.getHandle(runId, execution)
  const keeps = start.keeps ?? (await outcomeOf(handleOf(executionId)).catch(() => ({ status })))
  await startNext(ports, ended, { ...start, keeps, continued })
  await talkToRun(runId, ports, () => outcomeOf(handleOf()))
}

/** Only one process at a time compares and starts, so `ended` is still the last execution when the next one starts. */
async function startNext(
  ports: ClientPorts,
  { start: { runId }, executionId }: EndedRunAnswer,
  next: RunStart,
): Promise<void> {
  await refuseTooLarge(ports.client, next, 'the continued state of the run is')
  await withNextExecutionLock(ports, runId, async () => {
    const last = await describeRun(ports, runId)
    if (last.runId !== executionId) throw continuedElsewhere(runId)
    const asked = next.keeps ? { start: next } : await askLine(ports, next)
    if ('holder' in asked) throw concurrencyConflict(asked.holder, next.plan.name, asked.key)
    const isStarted = await startExecution(ports, asked.start, randomUUID(), {
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    })
    if (!isStarted) throw continuedElsewhere(runId)
  })
}

function factsOf({ runId, startedAtMs }: RunStart): RunContext {
  return { id: runId, started_at: recordedTime(startedAtMs) }
}

function continuedElsewhere(runId: string): RunbookError {
  return new RunbookError('RunInUse', `another process has continued ${runId}`, { notSent: true })
}
