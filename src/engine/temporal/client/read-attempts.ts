import type { Client } from '@temporalio/client'
import PQueue from 'p-queue'
import type { ActionDescription } from '../../../core/action.ts'
import type { AttemptRecord, SentRecord } from '../../../core/record/index.ts'
import { recordedTime } from '../../../core/times/index.ts'
import { sentText } from '../../attempt/index.ts'
import { attemptKey, isGivenUp } from '../messages.ts'
import { atServer, type ClientPorts } from './client-ports.ts'
import { ignoreMissing } from './describe-run.ts'
import { type CallEnd, type HistoryCall, readCalls } from './read-calls.ts'
import { readStart } from './read-history.ts'

/** How many histories are read at a time. */
const atOnce = 4

/** An attempt while its history is read. */
type Open = { -readonly [K in keyof AttemptRecord]: AttemptRecord[K] }

/**
 * The attempts of a run, from the histories that the server still has; needs no worker. Includes what a write has
 * sent only where its action is known here, since the action defines what is masked.
 */
export function readAttempts(
  ports: ClientPorts,
  runId: string,
  actions: readonly ActionDescription[],
): Promise<readonly AttemptRecord[]> {
  return atServer(ports, async () => {
    const { continued } = await readStart(ports.client, runId)
    const executions = [...(continued?.executions ?? []).map((execution) => execution.runId), undefined]
    const read = await new PQueue({ concurrency: atOnce }).addAll(
      executions.map((execution) => () => readExecution(ports.client, runId, execution, actions)),
    )
    return withRepeats(read.flat())
  })
}

/** None where the server no longer has the execution. */
async function readExecution(
  client: Client,
  runId: string,
  execution: string | undefined,
  actions: readonly ActionDescription[],
): Promise<readonly Open[]> {
  const { calls = [] } = (await readCalls(client, runId, execution).catch(ignoreMissing)) ?? {}
  return calls.map((call) => ({ ...readBegin(call, actions), ...(call.end && readEnd(call.end)) }))
}

function readBegin(
  { order: { request, safety }, atMs }: HistoryCall,
  actions: readonly ActionDescription[],
): Open {
  const { path, attempt, action } = request
  const description = actions.find(({ name }) => name === action)
  const sent = description && sentText(request, description, safety)
  return {
    path,
    attempt,
    action,
    ...(sent === undefined ? {} : { sent: JSON.parse(sent) as SentRecord }),
    status: 'begun',
    started_at: recordedTime(atMs),
  }
}

/** An attempt that was lost with its worker stays `begun`: its outcome is unknown. */
function readEnd({ atMs, answer, refusal }: CallEnd): Partial<Open> {
  const facts = answer ?? refusal
  if (!facts) return {}
  return {
    status: answer ? 'succeeded' : 'failed',
    ended_at: recordedTime(atMs),
    ...(answer ? { output: answer.output } : {}),
    ...(refusal ? { error: refusal.error } : {}),
    ...(facts.requestId === undefined ? {} : { request_id: facts.requestId }),
    ...(facts.waitedMs === undefined ? {} : { waited_ms: facts.waitedMs }),
  }
}

/**
 * A failed attempt was repeated where there is a later one of the same call. One that its worker gave up before it was
 * sent, and that another worker had, did not fail: it was begun, like one that was lost with its worker.
 */
function withRepeats(attempts: readonly Open[]): readonly AttemptRecord[] {
  const last = new Map<string, number>()
  const newest = new Map<string, Open>()
  for (const attempt of attempts) {
    last.set(attempt.path, Math.max(attempt.attempt, last.get(attempt.path) ?? 0))
    newest.set(attemptKey(attempt), attempt)
  }
  for (const attempt of attempts) {
    const isHandedOver = newest.get(attemptKey(attempt)) !== attempt
    if (isHandedOver && attempt.error && isGivenUp({ error: attempt.error })) {
      attempt.status = 'begun'
      delete attempt.error
      delete attempt.ended_at
    }
    const isRepeated = attempt.status === 'failed' && attempt.attempt < (last.get(attempt.path) ?? 0)
    if (isRepeated) attempt.is_repeated = true
  }
  return attempts
}
