import type { CallWindows } from '../../../core/action.ts'
import {
  describeUse,
  fullestOf,
  namedSubject,
  type RateReading,
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
 * Asks the limiters of the task queue which calls count now. One that has not answered within two seconds is `unread`.
 * Undefined: the server does not list them.
 */
export async function readRateUse(
  { client, taskQueue }: ClientPorts,
  limits: ReadonlyMap<string, CallWindows>,
): Promise<RateReading | undefined> {
  const readOne = async ([workflowId, subject]: Limiter): Promise<RateUse | undefined> => {
    const windows = windowsOf(limits.get(subject) ?? {})
    const nowMs = Date.now()
    const handle = client.workflow.getHandle(workflowId)
    const use = await handle.query<WindowsUse, [readonly RateWindow[], number]>(rateUseQuery, windows, nowMs)
    return describeUse(subject, windows, use, nowMs)
  }
  try {
    return await client.withDeadline(Date.now() + answerMs, async () => {
      const query = `WorkflowType = '${rateLimiterType}' AND ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`
      const limiters: Limiter[] = []
      for await (const { workflowId } of client.workflow.list({ query })) {
        const subject = subjectOfKey(workflowId.slice(limiterId(taskQueue, '').length), limits.keys())
        if (subject !== undefined) limiters.push([workflowId, subject])
      }
      const answers = await Promise.allSettled(limiters.map(readOne))
      const uses = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : undefined))
      const silent = limiters.flatMap(([, subject], at) =>
        answers[at]?.status === 'rejected' ? [subject] : [],
      )
      const unread = [...new Set(silent)].map(namedSubject)
      return { limits: fullestOf(uses), ...(unread.length === 0 ? {} : { unread }) }
    })
  } catch {
    return undefined
  }
}

type Limiter = readonly [workflowId: string, subject: string]
