import type { DecisionRecord } from '../../../core/record/run-history.ts'
import { askRun } from '../client/ask-run.ts'
import { readEvents } from '../client/follow-events.ts'
import type { EndedRun } from '../client/read-ended.ts'
import type { ClientPorts } from '../client/talk-to-run.ts'
import { type CarriedAnswer, carriedQuery } from '../messages.ts'

/**
 * The run as it stood when the call was decided, where no resume since has used that: none began a call or asked a
 * question, and none changed the run. Undefined: the decision has been used, or the server no longer has that execution.
 */
export async function readUnusedDecision(
  ports: ClientPorts,
  now: EndedRun,
  { path }: DecisionRecord,
): Promise<EndedRun | undefined> {
  const { start, carried, executionId } = now
  const { runId } = start
  for (const execution of carried.executions.toReversed()) {
    if (execution.runId === executionId) continue
    const handle = ports.client.workflow.getHandle(runId, execution.runId)
    const before = await askRun(runId, ports, () => handle.query<CarriedAnswer>(carriedQuery)).catch(
      () => undefined,
    )
    if (!before) return undefined
    if (before.carried.decided?.some((one) => one.path === path)) return standsSince(ports, now, before)
  }
  return undefined
}

async function standsSince(
  ports: ClientPorts,
  now: EndedRun,
  before: CarriedAnswer,
): Promise<EndedRun | undefined> {
  const { start, carried } = now
  const { lastSeq, questions, resumes } = before.carried
  const isChanged = carried.resumes.slice(resumes.length).some(({ amendment }) => amendment !== undefined)
  const asked = new Set(questions.map(keyOf))
  if (isChanged || carried.questions.some((one) => !asked.has(keyOf(one)))) return undefined
  const events = await readEvents(ports, start.runId, lastSeq)
  if (events.some(({ event }) => event.type === 'attempt_started')) return undefined
  const { executions, lastSeq: seq, control_requests, decisions } = carried
  return {
    ...now,
    start: { ...start, ...(before.start.keeps ? { keeps: before.start.keeps } : {}) },
    carried: {
      ...before.carried,
      executions,
      lastSeq: seq,
      control_requests,
      decisions,
      resumes: carried.resumes,
    },
  }
}

function keyOf({ path, asked_at }: { readonly path: string; readonly asked_at: string }): string {
  return `${path} ${asked_at}`
}
