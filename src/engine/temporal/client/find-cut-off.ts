import type { Client } from '@temporalio/client'
import type { Attempted } from '../../../core/host.ts'
import type { Carried, CarriedAttempt } from '../carried.ts'
import { attemptedOf } from '../resume/attempted-of.ts'
import { isOpen } from '../settled.ts'
import { readCalls } from './read-calls.ts'

/**
 * The creates whose requests may have left when a run was ended at the server, past the run itself: the run does not know
 * how they ended. What the server knows of it counts; else the outcome is unknown. One that was not announced is made anew.
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
  const announced = new Set<string>()
  for await (const event of readCalls(client, runId, executionId)) {
    if (event.kind === 'begun') {
      const { request, safety } = event.order
      const { path, attempt, action } = request
      const isHeard = known.has(`${path}#${attempt}`) || !isOpen(path, outcomes)
      if (safety !== 'create' || isHeard) continue
      // Another worker has it instead of one that was lost.
      for (const [id, one] of open) if (one.path === path && one.attempt === attempt) open.delete(id)

      open.set(event.id, { path, attempt, action, attempted: cutOff(action, path) })
    } else if (event.kind === 'announced') announced.add(event.id)
    else if (event.kind === 'ended') {
      const call = open.get(event.id)
      const { attempted, requestId } = call ? attemptedOf(event, call, event.atMs) : {}
      if (call && attempted)
        open.set(event.id, { ...call, attempted, ...(requestId === undefined ? {} : { requestId }) })
    }
  }
  return [...open].flatMap(([id, call]) => (announced.has(id) ? [call] : []))
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
