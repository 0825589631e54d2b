import type { BatchRule } from './action.ts'
import type { Attempts, Call } from './attempts.ts'
import { type BatchItem, describeFailures, exceeds, mergeItems, readGroup, splitItems } from './batch.ts'
import type { CallOutcome } from './call-action.ts'
import { isToolErrorCode } from './errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import { mayRepeat } from './retry.ts'
import { type ErrorData, isRefusedForGood, isStop } from './run-error.ts'
import { isDoubtfulCreate, unknownOutcome } from './unknown-outcome.ts'

/** What the rounds of a batch have come to so far. */
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
export async function callBatch(
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
    due = progress.items.filter(
      ({ error }) => error !== undefined && mayRepeat(error, call.retry, call.action.safety),
    )
    if (due.length === 0 || round >= call.retry.attempts) break
    await attempts.pause(round)
  }
  return { ...judge(call, rule, progress), attempts: attempts.total() }
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
    if (result.status === 'failed' && isDoubtfulCreate(call.action, error)) {
      // What was made is settled first: no tolerance is for items of which nobody knows whether they are there.
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

/** Refused for good, and not by a tool: the other groups would hear the same. */
function endsBatch(error: ErrorData): boolean {
  return isStop(error.code) || (isRefusedForGood(error) && !isToolErrorCode(error.code))
}

function judge(
  call: Call,
  rule: BatchRule,
  progress: Progress,
): Pick<CallOutcome, 'outputs' | 'error' | 'everyGroupFailed'> {
  const { items, firstOutput, firstError } = progress
  const everyGroupFailed = firstOutput === undefined ? firstError : undefined
  const failed = items.filter((item) => item.error !== undefined).length
  const judged = {
    outputs: mergeItems(rule, items, firstOutput ?? {}),
    ...(everyGroupFailed ? { everyGroupFailed } : {}),
  }
  if (!exceeds(call.tolerate, failed, items.length)) return judged
  const tooMany: ErrorData = { code: 'TooManyFailures', message: describeFailures(items, call.tolerate) }
  return { ...judged, error: everyGroupFailed ?? tooMany }
}
