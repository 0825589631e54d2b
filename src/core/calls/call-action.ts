/**
 * One call of an action with all its attempts: split into groups, repeated by its safety, throttled, judged.
 * The interpreter and the client both call it, so repeating has one meaning.
 */

import type { BatchRule } from '../action.ts'
import { isToolErrorCode } from '../errors.ts'
import type { FailedItems } from '../events.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { type ErrorData, isRefusedForGood, isStop, leavesOutcomeUnknown } from '../run-error.ts'
import { type Attempts, type Call, type CallPorts, createAttempts } from './attempts.ts'
import {
  type BatchItem,
  batchItems,
  countFailures,
  describeFailures,
  exceeds,
  failedItemsOf,
  mergeItems,
  readGroup,
  splitItems,
} from './batch.ts'
import { failureDetails } from './failed-items.ts'
import { isUnresolvedCreate, mayHaveExecuted, unknownOutcome } from './unknown-outcome.ts'

/** The outcome of a call after all repeating. A batch over its tolerance has outputs and an error. */
export interface CallOutcome {
  readonly outputs?: JsonValue
  readonly error?: ErrorData
  /** Attempts made, of all groups together. */
  readonly attempts: number
  /** Of a batch; left out: none failed. */
  readonly failedItems?: FailedItems | undefined
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
    if (!isRepeated) return { error: judge(call, result.error, failures), attempts: attempts.total() }
    await attempts.pause(round, [result.error])
  }
}

/**
 * The error a call ends with. A create whose last attempt may have done something, and a repeated write that
 * is refused after an unclear attempt, are outcomes that only a person can settle.
 */
function judge(call: Call, last: ErrorData, failures: readonly ErrorData[]): ErrorData {
  const { safety, name } = call.action
  const isRefusedAfterDoubt =
    safety === 'idempotent' &&
    !last.isSettled &&
    !leavesOutcomeUnknown(last) &&
    failures.some(mayHaveExecuted)
  const isDoubtful = isRefusedAfterDoubt || isUnresolvedCreate(call.action, last)
  return isDoubtful ? unknownOutcome(name, last, failures) : last
}

/** The results of the rounds of a batch so far. */
interface Progress {
  readonly items: BatchItem[]
  firstOutput?: JsonObject
  /** Of the round that was made last. */
  firstError?: ErrorData
}

/**
 * Calls a batch in rounds: the first takes every item, later ones the items that failed and may be repeated,
 * grouped anew. An error of one whole group is the error of each of its items.
 */
async function callBatch(
  call: Call,
  rule: BatchRule,
  items: readonly BatchItem[],
  attempts: Attempts,
): Promise<CallOutcome> {
  const progress: Progress = { items: [...items] }
  let due = items
  for (let round = 1; ; round++) {
    const stop = await callRound(call, rule, due, round, attempts, progress)
    if (stop) return { error: stop, attempts: attempts.total() }
    due = progress.items.filter(({ error }) => error !== undefined && attempts.mayRepeat(error, round))
    if (due.length === 0) break
    const errors = due.flatMap(({ error }) => error ?? [])
    await attempts.pause(round, errors, countFailures(rule, progress.items))
  }
  return { ...judgeBatch(call, rule, progress), attempts: attempts.total() }
}

/** One call for each group. Answers with the error that ends the whole call, if there is one. */
async function callRound(
  call: Call,
  rule: BatchRule,
  due: readonly BatchItem[],
  round: number,
  attempts: Attempts,
  progress: Progress,
): Promise<ErrorData | undefined> {
  const groups = splitItems(rule, due)
  attempts.split(groups.length, due.length)
  delete progress.firstError
  for (const [position, group] of groups.entries()) {
    const path = `${call.path}/group-${position + 1}`
    const input = { ...call.input, [rule.argument]: group.map(({ item }) => item) }
    const result = await attempts.make(path, input)
    const error =
      result.status === 'failed' ? result.error : takeAnswer(call, rule, group, result.output, progress)
    if (!error) continue
    if (result.status === 'failed' && isUnresolvedCreate(call.action, error)) {
      // A person resolves this first: no tolerance covers items that may or may not exist.
      attempts.report(path, error, false)
      return unknownOutcome(call.action.name, error, [error])
    }
    const isFinal = endsBatch(error) && !attempts.mayRepeat(error, round)
    attempts.report(path, error, !isFinal && attempts.mayRepeat(error, round))
    if (isFinal) return error
    progress.firstError ??= error
    for (const { index, item } of group) progress.items[index] = { index, item, error }
  }
  return undefined
}

function takeAnswer(
  call: Call,
  rule: BatchRule,
  group: readonly BatchItem[],
  output: JsonValue,
  progress: Progress,
): ErrorData | undefined {
  const answered = isJsonObject(output) ? readGroup(rule, group, output) : undefined
  if (!answered || !isJsonObject(output)) {
    const message = `${call.action.name} answered without one result for each of the ${group.length} items`
    return { code: 'InvalidAnswer', message }
  }
  progress.firstOutput ??= output
  for (const item of answered) progress.items[item.index] = item
  return undefined
}

/** The service refused the call, not one tool: the other groups would be refused as well. */
function endsBatch(error: ErrorData): boolean {
  return isStop(error.code) || (isRefusedForGood(error) && !isToolErrorCode(error.code))
}

function judgeBatch(
  call: Call,
  rule: BatchRule,
  progress: Progress,
): Pick<CallOutcome, 'outputs' | 'error' | 'failedItems' | 'everyGroupFailed'> {
  const { items, firstOutput, firstError } = progress
  const everyGroupFailed = firstOutput === undefined ? firstError : undefined
  const failed = items.filter((item) => item.error !== undefined).length
  const failedItems = failedItemsOf(rule, items)
  const judged = {
    outputs: mergeItems(rule, items, firstOutput ?? {}),
    failedItems,
    ...(everyGroupFailed ? { everyGroupFailed } : {}),
  }
  if (!exceeds(call.tolerate, failed, items.length)) return judged
  const message = describeFailures(rule, items, call.tolerate)
  const tooMany: ErrorData = { code: 'TooManyFailures', message, ...failureDetails(failedItems) }
  return { ...judged, error: everyGroupFailed ?? tooMany }
}
