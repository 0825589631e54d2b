import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client'
import { RunbookError } from '../../../core/run-error.ts'
import { lookForWorkers } from '../client/look-for-workers.ts'

/** The service of workers whose default connection is a sandbox. All sandboxes are one service here. */
export const sandboxService = '--sandbox'

/** What a worker brings to its task queue. */
export interface QueueClaim {
  /** Address of its default connection, or {@link sandboxService}. Empty: it has no default connection. */
  readonly service: string
  /** Gives the queue to this worker where it belongs to another service and no worker polls it. */
  readonly isTakenOver?: boolean
}

/**
 * Makes sure that all workers of a task queue call the same service, so that no run continues against another one than it
 * was started with. The first worker records its service at the server; one of another service is refused with
 * `WrongTaskQueue`.
 */
export async function claimQueue(client: Client, taskQueue: string, given: QueueClaim): Promise<void> {
  const claim = { ...given, service: normalized(given.service) }
  for (;;) {
    if (await record(client, taskQueue, claim.service, false)) return
    const found = await readQueueService(client, taskQueue)
    if (found === undefined) continue
    if (found === claim.service) return
    // A worker without a default connection calls no service that another one of the queue would not.
    if (claim.service === '' && found !== sandboxService) return
    const isUpgrade = found === '' && claim.service !== sandboxService
    if (!isUpgrade) await requireTakeOver(client, taskQueue, found, claim)
    await record(client, taskQueue, claim.service, true)
    return
  }
}

/** The service that a task queue belongs to; undefined: no worker has claimed the queue. */
export async function readQueueService(client: Client, taskQueue: string): Promise<string | undefined> {
  try {
    const { status, memo } = await client.workflow.getHandle(claimId(taskQueue)).describe()
    return status.name === 'RUNNING' ? String(memo?.['service'] ?? '') : undefined
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return undefined
    throw thrown
  }
}

/** The service of a queue, for people. */
export function serviceText(service: string): string {
  if (service === sandboxService) return 'a sandbox'
  return service === '' ? 'workers without a default connection' : service
}

/** Two ways to write one address are one service. */
function normalized(service: string): string {
  if (!URL.canParse(service)) return service
  const { origin, pathname } = new URL(service)
  return `${origin}${pathname}`.replace(/\/+$/, '')
}

function claimId(taskQueue: string): string {
  return `opsbook-queue/${taskQueue}`
}

/**
 * Records the service as the memo of an open workflow, which the server keeps until it is terminated. No worker polls its
 * task queue, so nothing of it ever runs. False: there is a record already.
 */
async function record(
  client: Client,
  taskQueue: string,
  service: string,
  isReplaced: boolean,
): Promise<boolean> {
  try {
    await client.workflow.start('opsbookQueueClaim', {
      workflowId: claimId(taskQueue),
      taskQueue: `${taskQueue}-claim`,
      memo: { service },
      staticSummary: `task queue ${taskQueue} belongs to ${serviceText(service)}`,
      workflowIdConflictPolicy: isReplaced ? 'TERMINATE_EXISTING' : 'FAIL',
    })
    return true
  } catch (thrown) {
    if (thrown instanceof WorkflowExecutionAlreadyStartedError) return false
    throw thrown
  }
}

async function requireTakeOver(
  client: Client,
  taskQueue: string,
  found: string,
  { service, isTakenOver }: QueueClaim,
): Promise<void> {
  const what = `the task queue "${taskQueue}" belongs to ${serviceText(found)}, and not to ${serviceText(service)}`
  if (!isTakenOver) throw new RunbookError('WrongTaskQueue', what, { notSent: true })
  const { pollers } = (await lookForWorkers(client, taskQueue)).calls
  if (pollers.length === 0) return
  const names = pollers.map(({ identity }) => identity).join(', ')
  throw new RunbookError('WrongTaskQueue', `${what}; workers poll it: ${names}`, {
    notSent: true,
    next: 'Stop them first. The server lists a worker for up to 75 seconds after it has ended.',
  })
}
