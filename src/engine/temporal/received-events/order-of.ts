import { randomUUID } from 'node:crypto'
import { type JsonValue, withoutUndefined } from '../../../core/json.ts'
import type { Plan } from '../../../core/plan/index.ts'
import { concurrencyOf } from '../../../core/record/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { recordedTime } from '../../../core/times/index.ts'
import {
  type EventEvaluation,
  eventSource,
  type MatchedCandidate,
  type RejectedCandidate,
} from '../../../core/triggers/index.ts'
import { systemIdentity } from '../../record/index.ts'
import { findHolder } from '../client/ask-line.ts'
import type { ClientPorts } from '../client/client-ports.ts'
import { listingOf, refuseTooLarge, runIdOfEvent } from '../client/start-options.ts'
import { awaitedLineOf } from '../concurrency/line-id.ts'
import { actionQueueOf } from '../connection.ts'
import type { RunStart } from '../messages.ts'
import type { CandidateOrder, EvaluationOrder, EvaluationsOrder } from './messages.ts'

/** An event as it is sent, and the plans of its candidates. */
export interface OrderedEvaluation {
  readonly plans: EvaluationsOrder['plans']
  readonly evaluation: EvaluationOrder
  /** The size of all runs that it would start, as they are sent. */
  readonly bytes: number
}

/** The store keeps bodies of up to this many characters as JSON. */
const mostBody = 16_384
/** In bytes as they are sent, of all runs that one order starts: each holds its plan, and one workflow task starts them. */
export const mostBytes = 1_900_000

/** The order for one event. Everything that needs a server, a hash or randomness is computed here, outside of the workflow. */
export async function orderOf(
  { event, candidates }: EventEvaluation,
  ports: ClientPorts,
  keepKeysMs: number,
): Promise<OrderedEvaluation> {
  const plans: Record<string, Plan> = {}
  let bytes = 0
  const { body, ...rest } = event
  const matched = async (candidate: MatchedCandidate): Promise<CandidateOrder> => {
    const { plan, ...order } = candidate
    const { inputs, runbook, trigger } = candidate
    const runId = runIdOfEvent(candidate, event, { taskQueue: ports.taskQueue, keepKeysMs })
    const start: RunStart = {
      plan,
      inputs,
      runId,
      startedAtMs: event.receivedAtMs,
      startedBy: systemIdentity(),
      startedFrom: eventSource(event, trigger),
      actionQueue: actionQueueOf(ports.taskQueue),
    }
    // A retry of the sender would not make it smaller.
    const refuse = (message: string): CandidateOrder => ({
      runbook,
      trigger,
      because: 'inputs_invalid',
      message,
    })
    try {
      const more = await refuseTooLarge(ports.client, start)
      if (bytes + more > mostBytes) {
        return refuse(
          `all runs of one event take ${mostBytes} bytes at most, and with this one ${bytes + more}`,
        )
      }
      bytes += more
    } catch (thrown) {
      if (!RunbookError.is(thrown)) throw thrown
      return refuse(thrown.message)
    }
    plans[plan.hash] = plan
    const { startedAtMs } = start
    const facts = { id: runId, started_at: recordedTime(startedAtMs) }
    const line = awaitedLineOf(ports.taskQueue, runbook, concurrencyOf(plan, inputs, facts))
    const running = line?.refuses && (await findHolder(ports, line))
    return {
      ...order,
      plan: plan.hash,
      runId,
      listed: listingOf(start, randomUUID()),
      ...withoutUndefined({ line, running }),
    }
  }
  const orders: CandidateOrder[] = []
  for (const candidate of candidates)
    orders.push('because' in candidate ? trimCandidate(candidate) : await matched(candidate))
  const isKept = JSON.stringify(body).length <= mostBody
  return { plans, evaluation: { event: isKept ? { ...rest, body } : rest, candidates: orders }, bytes }
}

/** In characters as JSON, of one decision: half for the message, half for the details. */
const mostCharacters = 2048
const mostOfEach = mostCharacters / 2

/** A rejection, with its texts cut: the sender of the event decides how long they are. */
export function trimCandidate(candidate: RejectedCandidate): RejectedCandidate {
  const { details, message, ...rest } = candidate
  const trimmed = { ...rest, message: String(cutTo(mostOfEach, message)) }
  if (details === undefined) return trimmed
  if (lengthOf(details) <= mostOfEach) return { ...trimmed, details }
  const entries = Object.entries(details)
  const share = Math.floor(mostOfEach / entries.length / 2)
  const cut = Object.fromEntries(entries.map(([key, value]) => [key, cutTo(share, value)]))
  return lengthOf(cut) <= mostOfEach ? { ...trimmed, details: cut } : trimmed
}

function cutTo(most: number, value: JsonValue): JsonValue {
  if (lengthOf(value) <= most) return value
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // Escaped characters count with their length as JSON.
  let length = Math.max(0, Math.min(text.length, most - 3))
  while (length > 0 && lengthOf(text.slice(0, length)) > most - 1) length = Math.floor(length * 0.9)
  return `${text.slice(0, length)}…`
}

function lengthOf(value: JsonValue): number {
  return JSON.stringify(value).length
}
