import { Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import { RunbookError } from '../../../core/run-error.ts'
import { ignoreMissing } from '../client/describe-run.ts'
import { lookForWorkers } from '../client/look-for-workers.ts'
import { isRunQuery, isStartedQuery } from '../run-listing.ts'

/** The service of workers with a sandbox, which their runs do not leave. All sandboxes are one service here. */
export const closedSandbox = '--sandbox'

/** The same where steps and messages may leave the sandbox. */
export const openSandbox = '--sandbox --allow-outside'

const sandboxes: ReadonlySet<string> = new Set([closedSandbox, openSandbox])

/** What a worker brings to its task queue. */
export interface QueueClaim {
  /** Address of its default connection, or one of the sandboxes. Empty: it has no default connection. */
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
    if (await record(client, taskQueue, claim.service)) return
    const found = await readRecord(client, taskQueue)
    if (found === undefined) continue
    if (found.service === claim.service) return
    const [isOfSandbox, isSandbox] = [sandboxes.has(found.service), sandboxes.has(claim.service)]
    // A worker without a default connection calls no service that another one of the queue would not.
    if (claim.service === '' && !isOfSandbox) return
    const isFitting = isOfSandbox === isSandbox && (isSandbox || found.service === '')
    if (!isFitting) await requireTakeOver(client, taskQueue, found.service, claim)
    // Only the record that was looked at: another worker may have replaced it since.
    await client.workflow
      .getHandle(claimId(taskQueue), found.executionId)
      .terminate(`claimed for ${serviceText(claim.service)}`)
      .catch(ignoreMissing)
  }
}

/** The service that a task queue belongs to; undefined: no worker has claimed the queue. */
export async function readQueueService(client: Client, taskQueue: string): Promise<string | undefined> {
  return (await readRecord(client, taskQueue))?.service
}

async function readRecord(
  client: Client,
  taskQueue: string,
): Promise<{ readonly service: string; readonly executionId: string } | undefined> {
  const info = await unencrypted(client)
    .workflow.getHandle(claimId(taskQueue))
    .describe()
    .catch(ignoreMissing)
  if (!info || !openStates.has(info.status.name)) return undefined
  return { service: String(info.memo?.['service'] ?? ''), executionId: info.runId }
}

const openStates: ReadonlySet<string> = new Set(['RUNNING', 'PAUSED'])

/** The address of a service is no secret, and the record outlives the current keys. */
function unencrypted({ connection, options: { namespace } }: Client): Client {
  return new Client({ connection, namespace })
}

/** The service of a queue, for people. */
export function serviceText(service: string): string {
  if (sandboxes.has(service)) return 'a sandbox'
  return service === '' ? 'workers without a default connection' : service
}

/** Whether an address is that of another service than the one that a queue belongs to. A sandbox is no address. */
export function isOtherService(service: string, address: string): boolean {
  return service !== '' && !sandboxes.has(service) && normalized(service) !== normalized(address)
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
async function record(client: Client, taskQueue: string, service: string): Promise<boolean> {
  try {
    await unencrypted(client).workflow.start('opsbookQueueClaim', {
      workflowId: claimId(taskQueue),
      taskQueue: `${taskQueue}-claim`,
      memo: { service },
      staticSummary: `task queue ${taskQueue} belongs to ${serviceText(service)}`,
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
  if (pollers.length === 0) {
    if (sandboxes.has(found) !== sandboxes.has(service)) await requireNoOpenRuns(client, taskQueue, what)
    return
  }
  const names = pollers.map(({ identity }) => identity).join(', ')
  throw new RunbookError('WrongTaskQueue', `${what}; workers poll it: ${names}`, {
    notSent: true,
    next: 'Stop them first. The server lists a worker for up to 75 seconds after it has ended.',
  })
}

/** What a person approved for a sandbox is never sent to a real service, and the reverse. */
async function requireNoOpenRuns(client: Client, taskQueue: string, what: string): Promise<void> {
  const query = `${isRunQuery} AND ${isStartedQuery} AND ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`
  const { count } = await client.workflow.count(query)
  if (count === 0) return
  throw new RunbookError('WrongTaskQueue', `${what}; ${count} of its runs are open`, {
    notSent: true,
    next: 'Name another task queue with `OPSBOOK_TASK_QUEUE`, or end these runs first: "opsbook runs" lists them.',
  })
}
