import { WorkflowExecutionAlreadyStartedError, type WorkflowHandle } from '@temporalio/client'
import { RunbookError } from '../../../core/run-error.ts'
import { type ClientPorts, serverError } from './client-ports.ts'

/** The type of the workflow that is the lock. No worker has it: the server alone keeps the lock. */
const lockType = 'opsbookNextExecution'
/** The holder sends its last request within this time. */
const holdMs = 20_000
/** The server frees the lock of a holder that has crashed after this time, in which all it has sent has arrived. */
const expiryMs = 60_000
/** With these errors nothing was started, so the lock is free for the next try. */
const nothingStarted: readonly string[] = ['RunInUse', 'ConcurrencyConflict']

/**
 * Runs `start` while no other process starts an execution of the same run. Rejects with `RunInUse` while another process
 * holds the lock. After an error that leaves open whether the server started the execution, the lock stays until it expires.
 */
export async function withNextExecutionLock<T>(
  ports: ClientPorts,
  runId: string,
  start: () => Promise<T>,
): Promise<T> {
  const { client } = ports
  const endMs = Date.now() + holdMs
  const held = await lock(ports, runId)
  // A lock that cannot be released expires.
  const release = (): Promise<void> =>
    held.terminate('released').then(
      () => {},
      () => {},
    )
  try {
    const started = await client.withDeadline(endMs, start)
    await release()
    return started
  } catch (thrown) {
    if (RunbookError.is(thrown) && nothingStarted.includes(thrown.code)) await release()
    throw thrown
  }
}

async function lock(ports: ClientPorts, runId: string): Promise<WorkflowHandle> {
  const { client, taskQueue } = ports
  const workflowId = `opsbook-next/${runId}`
  try {
    const { firstExecutionRunId } = await client.workflow.start(lockType, {
      workflowId,
      taskQueue: `${taskQueue}-next`,
      workflowIdConflictPolicy: 'FAIL',
      workflowExecutionTimeout: expiryMs,
      staticSummary: `one next execution of ${runId} at a time`,
    })
    return client.workflow.getHandle(workflowId, firstExecutionRunId)
  } catch (thrown) {
    if (!(thrown instanceof WorkflowExecutionAlreadyStartedError)) throw serverError(thrown, ports)
    throw new RunbookError('RunInUse', `another process is resuming or deciding ${runId}`, {
      notSent: true,
      next: `Try again. The lock of a process that has crashed expires after ${expiryMs / 1000} s.`,
    })
  }
}
