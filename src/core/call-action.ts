/**
 * One action called as often as it takes: split into groups, repeated by its safety, throttled, judged.
 * The interpreter and the client both call through here, so there is one meaning of repeating.
 */
import { type Call, type CallPorts, createAttempts } from './attempts.ts'
import { batchItems } from './batch.ts'
import { callBatch } from './call-batch.ts'
import type { JsonValue } from './json.ts'
import { type ErrorData, isUnclear } from './run-error.ts'
import { isDoubtfulCreate, mayHaveBeenDone, unknownOutcome } from './unknown-outcome.ts'

/** What a call came to after all repeating. A batch over its tolerance has outputs and an error. */
export interface CallOutcome {
  readonly outputs?: JsonValue
  readonly error?: ErrorData
  /** Attempts made, of all groups together. */
  readonly attempts: number
  /** Set when no group of a batch got an answer: the error of the first one. */
  readonly everyGroupFailed?: ErrorData
}

/** Calls the action. What the service answers never rejects; a port that rejects does. */
export async function callAction(call: Call, ports: CallPorts): Promise<CallOutcome> {
  const attempts = createAttempts(call, ports)
  const items = call.action.batch && batchItems(call.action.batch, call.input)
  if (call.action.batch && items) return callBatch(call, call.action.batch, items, attempts)

  const failures: ErrorData[] = []
  for (let round = 1; ; round++) {
    const result = await attempts.make(call.path, call.input)
    if (result.status === 'succeeded') return { outputs: result.output, attempts: attempts.total() }
    failures.push(result.error)
    const isRepeated = attempts.mayRepeat(result.error, round)
    attempts.report(call.path, result.error, isRepeated)
    if (!isRepeated) {
      return { error: judge(call, result.error, failures), attempts: attempts.total() }
    }
    await attempts.pause(round)
  }
}

/**
 * The error a call ends with. A create whose last attempt may have done something, and a repeated write that
 * is refused after an unclear attempt, are outcomes that only a person can settle.
 */
function judge(call: Call, last: ErrorData, failures: readonly ErrorData[]): ErrorData {
  const { safety, name } = call.action
  const isRefusedAfterDoubt =
    safety === 'idempotent' && !last.isSettled && !isUnclear(last) && failures.some(mayHaveBeenDone)
  const isDoubtful = isRefusedAfterDoubt || isDoubtfulCreate(call.action, last)
  return isDoubtful ? unknownOutcome(name, last, failures) : last
}
