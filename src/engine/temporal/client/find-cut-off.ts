import type { Client } from '@temporalio/client'
import type { Attempted } from '../../../core/host.ts'
import type { Carried, CarriedAttempt } from '../carried.ts'
import { attemptedOf } from '../resume/attempted-of.ts'
import { isOpen } from '../settled.ts'
import { readCalls } from './read-calls.ts'

/**
 * The creates that were on their way when a run was ended at the server, past the run itself: the run knows nothing of
 * how they ended. What the server knows of it counts; else nobody knows what became of them.
 */
export async function findCutOff(
  client: Client,
  runId: string,
  executionId: string,
  { attempts, results }: Carried,
): Promise<readonly CarriedAttempt[]> {
  const known = new Set(attempts.map(({ path, attempt }) => `${path}#${attempt}`))
  const outcomes = new Map(results)
  const open = new Map<string, CarriedAttempt>()
  for await (const event of readCalls(client, runId, executionId)) {
    if (event.kind === 'begun') {
      const { request, safety } = event.order
      const { path, attempt, action } = request
      const isHeard = known.has(`${path}#${attempt}`) || !isOpen(path, outcomes)
      if (safety !== 'create' || isHeard) continue
      open.set(event.id, { path, attempt, action, attempted: cutOff(action, path) })
    } else if (event.kind === 'ended') {
      const call = open.get(event.id)
      const { attempted, requestId } = call ? attemptedOf(event, call, event.atMs) : {}
      if (call && attempted)
        open.set(event.id, { ...call, attempted, ...(requestId === undefined ? {} : { requestId }) })
    }
  }
  return [...open.values()]
}

function cutOff(action: string, path: string): Attempted {
  const message = `${action} was begun, and its outcome is not known: the run was ended at the server`
  const nowMs = Date.now()
  return {
    status: 'failed',
    error: { code: 'OutcomeUnknown', message, path },
    startedAtMs: nowMs,
    endedAtMs: nowMs,
  }
}
