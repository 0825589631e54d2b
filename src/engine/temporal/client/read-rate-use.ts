import type { CallWindows } from '../../../core/action.ts'
import {
  describeUse,
  fullestOf,
  type RateUse,
  type RateWindow,
  subjectOfKey,
  type WindowsUse,
  windowsOf,
} from '../../../core/pacing/index.ts'
import { limiterId, rateLimiterType, rateUseQuery } from '../limits/messages.ts'
import type { ClientPorts } from './client-ports.ts'

/** A limiter that no worker answers for must not hold up a page. */
const answerMs = 2000

/**
 * Asks the limiters of the task queue which calls count now. Undefined: one of them has not answered within two
 * seconds, or the server does not list them.
 */
export async function readRateUse(
  { client, taskQueue }: ClientPorts,
  limits: ReadonlyMap<string, CallWindows>,
): Promise<readonly RateUse[] | undefined> {
  const readOne = async (workflowId: string): Promise<RateUse | undefined> => {
    const subject = subjectOfKey(workflowId.slice(limiterId(taskQueue, '').length), limits.keys())
    if (subject === undefined) return undefined
    const windows = windowsOf(limits.get(subject) ?? {})
    const nowMs = Date.now()
    const handle = client.workflow.getHandle(workflowId)
    const use = await handle.query<WindowsUse, [readonly RateWindow[], number]>(rateUseQuery, windows, nowMs)
    return describeUse(subject, windows, use, nowMs)
  }
  try {
    return await client.withDeadline(Date.now() + answerMs, async () => {
      const query = `WorkflowType = '${rateLimiterType}' AND ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`
      const limiters: string[] = []
      for await (const { workflowId } of client.workflow.list({ query })) limiters.push(workflowId)
      return fullestOf(await Promise.all(limiters.map(readOne)))
    })
  } catch {
    return undefined
  }
}
