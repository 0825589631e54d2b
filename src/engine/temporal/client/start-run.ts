import { type Client, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client'
import { ApplicationFailure, CancelledFailure } from '@temporalio/common'
import type { TimedRunEvent } from '../../../core/events.ts'
import type { RunOutcome } from '../../../core/interpret.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Plan } from '../../../core/plan.ts'
import { artifactsFolder } from '../../attempt/artifact-files.ts'
import { createEventStream } from '../../record/event-stream.ts'
import type { RunHandle, RunReport } from '../../record/run-handle.ts'
import { createRunId } from '../../record/run-id.ts'
import { systemUser } from '../../record/system-user.ts'
import { actionQueueOf } from '../connection.ts'
import { outcomeMemo, type RunStart, runType } from '../messages.ts'
import { followEvents } from './follow-events.ts'
import { readState } from './read-state.ts'
import { wishOf } from './wish.ts'

/** What a run on Temporal is started with. */
export interface StartOptions {
  readonly client: Client
  readonly taskQueue: string
  readonly dataDir: string
  readonly plan: Plan
  /** Checked against the plan's schema, defaults filled in. */
  readonly inputs: JsonObject
  /** Starts the run, or joins it. */
  readonly key?: string
  readonly connection?: string
  readonly approve?: 'all'
  /** The run goes on in another execution of its workflow once the history has so many events. */
  readonly mostEvents?: number
  /** Told of everything as it happens. What it throws is ignored. */
  readonly onEvent?: (event: TimedRunEvent) => void
}

/** Starts a run on the workers of a queue, and follows it. */
export async function startRun(options: StartOptions): Promise<RunHandle> {
  const { client, plan, inputs, key, connection, taskQueue } = options
  const startedAt = new Date()
  const start: RunStart = {
    plan,
    inputs,
    runId: createRunId(startedAt),
    startedAtMs: startedAt.getTime(),
    startedBy: systemUser(),
    actionQueue: actionQueueOf(taskQueue),
    ...(key === undefined ? {} : { key }),
    ...(connection === undefined ? {} : { connection }),
    ...(options.mostEvents === undefined ? {} : { mostEvents: options.mostEvents }),
    ...(options.approve === 'all' ? { approvedBy: systemUser() } : {}),
  }
  await client.workflow.start(runType, {
    workflowId: start.runId,
    taskQueue,
    args: [start],
    searchAttributes: {
      OpsbookRunbook: [plan.name],
      OpsbookStatus: ['running'],
      OpsbookLabels: Object.entries(plan.labels ?? {}).map(([name, value]) => `${name}=${value}`),
    },
    memo: { planHash: plan.hash, title: plan.title ?? plan.name },
    staticSummary: plan.title ?? plan.name,
  })
  return follow(start, options)
}

function follow(start: RunStart, { client, dataDir, onEvent }: StartOptions): RunHandle {
  const { runId } = start
  const handle = client.workflow.getHandle(runId)
  const stream = createEventStream()
  const left = new AbortController()
  const run = async (): Promise<RunReport> => {
    await new Promise((resolve) => setImmediate(resolve))
    for await (const { event } of followEvents(client, runId, left.signal)) {
      stream.push(event)
      onEvent?.(event)
    }
    const outcome = await outcomeOf(handle)
    const state = await readState(handle)
    return {
      run_id: runId,
      runbook: start.plan.name,
      ...outcome,
      started_at: new Date(start.startedAtMs).toISOString(),
      ended_at: new Date().toISOString(),
      steps: state.steps.filter(({ path }) => !path.includes('[')),
      artifacts_dir: artifactsFolder(dataDir, runId),
    }
  }
  const result = run().finally(() => stream.end())
  return {
    runId,
    isJoined: false,
    events: stream,
    result,
    cancel: () => void wishOf(handle, { kind: 'cancel', by: systemUser() }).catch(() => {}),
    interrupt: () => left.abort(),
  }
}

/** How a run ended: every failure of a run is an outcome. */
export async function outcomeOf(handle: WorkflowHandle): Promise<RunOutcome> {
  try {
    return (await handle.result()) as RunOutcome
  } catch (thrown) {
    const cause = thrown instanceof WorkflowFailedError ? thrown.cause : thrown
    const outcome =
      cause instanceof CancelledFailure
        ? (await handle.describe()).memo?.[outcomeMemo]
        : cause instanceof ApplicationFailure && cause.details?.[0]
    if (outcome) return outcome as RunOutcome
    throw thrown
  }
}
