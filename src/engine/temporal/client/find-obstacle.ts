import type { Client, WorkflowExecutionDescription } from '@temporalio/client'
import { RunbookError } from '../../../core/run-error.ts'
import { isRunType } from '../run-listing.ts'
import { buildOf, momentOf, type Poller, type QueuePollers, type WorkerBuild } from './look-for-workers.ts'
import { type HistoryEvent, readHistory } from './read-history.ts'

/** `PENDING_WORKFLOW_TASK_STATE_SCHEDULED`: no worker has taken it. */
const scheduled = 1
/** `VERSIONING_BEHAVIOR_PINNED`. */
const pinned = 1
/** `WORKFLOW_WORKER_UNHANDLED_FAILURE` and `NON_DETERMINISTIC_ERROR`. */
const ofCode: readonly (number | null | undefined)[] = [14, 24]
/** An idle worker picks up a task within milliseconds, and a busy one polls again within this time. */
const longMs = 4000

/**
 * Why no worker of a task queue continues a workflow: its build is gone, or the code cannot replay it. Undefined: the
 * server knows no reason.
 */
export async function findObstacle(
  client: Client,
  workflow: WorkflowExecutionDescription,
  runs: QueuePollers,
): Promise<RunbookError | undefined> {
  return whyNoBuild(workflow, runs) ?? (await whyNoReplay(client, workflow))
}

function whyNoBuild(workflow: WorkflowExecutionDescription, runs: QueuePollers): RunbookError | undefined {
  if (runs.pollers.length === 0) return undefined
  const build = pinnedBuildOf(workflow)
  const accepted = build ? [build] : runs.current
  const fits = (poller: Poller): boolean =>
    accepted.length === 0 ? !poller.build : accepted.some((one) => isSame(one, poller.build))
  const others = runs.pollers.filter((poller) => !fits(poller))
  if (others.length === 0) return undefined
  const fitting = runs.pollers.filter(fits)
  if (fitting.length > 0) {
    const sinceMs = untakenSinceMs(workflow)
    // A worker that has polled since then has the task, or is busy.
    if (sinceMs === undefined || fitting.some(({ lastMs }) => lastMs > sinceMs)) return undefined
  }
  const there = `those at the task queue "${runs.queue}" are ${[...new Set(others.map(buildText))].join(', ')}`
  if (build) {
    return obstacle(
      'BuildIsGone',
      workflow,
      `${workflow.workflowId} is pinned to ${textOf(build)}, and no worker of it is running: ${there}`,
      (id) =>
        `Start a worker of that build. To continue with the current one instead: "temporal workflow update-options --workflow-id ${id} --versioning-override-behavior auto_upgrade".`,
    )
  }
  const wanted = accepted.length === 0 ? 'workers without a version' : accepted.map(textOf).join(' or ')
  return new RunbookError(
    'NoWorker',
    `no worker serves ${workflow.workflowId}: the server gives it to ${wanted}, and ${there}`,
    {
      notSent: true,
      next: 'Start such a worker, or name the build of those that run: "temporal worker deployment set-current-version".',
    },
  )
}

async function whyNoReplay(
  client: Client,
  workflow: WorkflowExecutionDescription,
): Promise<RunbookError | undefined> {
  const failed = await lastFailedTask(client, workflow)
  if (!failed || !ofCode.includes(failed.cause)) return undefined
  const why = failed.failure?.message ?? 'it does not say why'
  if (workflow.status.name !== 'RUNNING') {
    const message = `the server answers for ${workflow.workflowId} no more: it ended while the worker ${failed.identity} could not replay it: ${why}`
    return new RunbookError('RunUnanswerable', message, { notSent: true })
  }
  return cannotReplay(workflow, `the worker ${failed.identity}`, why)
}

/** `CodeCannotReplay`, with the reason of the worker. */
export function cannotReplay(
  workflow: Pick<WorkflowExecutionDescription, 'workflowId' | 'type' | 'status'>,
  worker: string,
  why: string,
): RunbookError {
  return obstacle(
    'CodeCannotReplay',
    workflow,
    `${worker} cannot replay ${workflow.workflowId} with its code: ${why}`,
    () => 'Start workers whose code fits, and stop the others; "opsbook replay-check" shows which code fits.',
  )
}

function obstacle(
  code: 'CodeCannotReplay' | 'BuildIsGone',
  { workflowId, type, status }: Pick<WorkflowExecutionDescription, 'workflowId' | 'type' | 'status'>,
  message: string,
  continueIt: (id: string) => string,
): RunbookError {
  const isOpenRun = isRunType(type) && status.name === 'RUNNING'
  const end = isOpenRun ? ` To end it: "opsbook cancel ${workflowId} --now".` : ''
  return new RunbookError(code, message, {
    notSent: true,
    next: `${continueIt(workflowId)}${end}`,
    ...(isOpenRun ? { details: { run_id: workflowId } } : {}),
  })
}

const backwards = { maximumPageSize: 20, isReversed: true }

/** The last task of a workflow, if it has failed. The server records no repeated failures. */
async function lastFailedTask(
  client: Client,
  { workflowId, runId }: WorkflowExecutionDescription,
): Promise<NonNullable<HistoryEvent['workflowTaskFailedEventAttributes']> | undefined> {
  for await (const event of readHistory(client, workflowId, runId, backwards)) {
    if (event.workflowTaskCompletedEventAttributes) return undefined
    if (event.workflowTaskFailedEventAttributes) return event.workflowTaskFailedEventAttributes
  }
  return undefined
}

/** The build that alone may continue a workflow. */
function pinnedBuildOf({ raw }: WorkflowExecutionDescription): WorkerBuild | undefined {
  const { behavior, deploymentVersion, versioningOverride } = raw.workflowExecutionInfo?.versioningInfo ?? {}
  if (versioningOverride?.autoUpgrade) return undefined
  const chosen = buildOf(versioningOverride?.pinned?.version)
  return chosen ?? (behavior === pinned ? buildOf(deploymentVersion) : undefined)
}

/** Since when a task has waited for a worker; undefined: not for 4 s. */
function untakenSinceMs({ raw }: WorkflowExecutionDescription): number | undefined {
  const { state, scheduledTime } = raw.pendingWorkflowTask ?? {}
  if (state !== scheduled || !scheduledTime) return undefined
  const sinceMs = momentOf(scheduledTime)
  return Date.now() - sinceMs > longMs ? sinceMs : undefined
}

function isSame(one: WorkerBuild, other: WorkerBuild | undefined): boolean {
  return one.deployment === other?.deployment && one.buildId === other.buildId
}

function textOf({ deployment, buildId }: WorkerBuild): string {
  return `build ${buildId} of ${deployment}`
}

function buildText({ build }: Poller): string {
  return build ? textOf(build) : 'without a version'
}
