import type { BatchRule } from '../action.ts'
import type { FailedItems } from '../events.ts'
import { grouped } from '../group.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { Tolerance } from '../plan/plan.ts'
import type { ErrorData } from '../run-error.ts'
import { createFailureCount } from './failed-items.ts'

/** One item of a batch and what became of it. */
export interface BatchItem {
  readonly index: number
  readonly item: JsonValue
  readonly result?: JsonValue
  readonly error?: Pick<ErrorData, 'code' | 'message'>
}

/** The items of a batched input, or undefined where the argument is no list. */
export function batchItems(rule: BatchRule, input: JsonObject): readonly BatchItem[] | undefined {
  const items = input[rule.argument]
  return Array.isArray(items) ? items.map((item: JsonValue, index) => ({ index, item })) : undefined
}

/** The groups that one call each takes. */
export function splitItems(rule: BatchRule, items: readonly BatchItem[]): readonly (readonly BatchItem[])[] {
  // Nothing to split is still one call: what is wrong with the rest of its arguments is found there.
  if (items.length === 0) return [[]]
  const groups: BatchItem[][] = []
  for (let start = 0; start < items.length; start += rule.size)
    groups.push(items.slice(start, start + rule.size))
  return groups
}

/** The items of one group with their results. Undefined when the answer has not one result for each item. */
export function readGroup(
  rule: BatchRule,
  group: readonly BatchItem[],
  output: JsonObject,
): readonly BatchItem[] | undefined {
  const results = output[rule.results]
  if (!Array.isArray(results)) return undefined
  if (!rule.isPositional) return group.map((item) => withKeyedResult(rule, item, results))
  if (results.length !== group.length) return undefined
  if (!group.every((item, position) => isAnswerTo(rule, item, results[position] as JsonValue)))
    return undefined
  return group.map((item, position) => withResult(rule, item, results[position] as JsonValue))
}

function withResult(rule: BatchRule, { index, item }: BatchItem, result: JsonValue): BatchItem {
  const error = rule.itemError !== undefined && isJsonObject(result) ? result[rule.itemError] : undefined
  if (!isJsonObject(error)) return { index, item, result }
  const { code, message } = error
  return { index, item, result, error: { code: String(code ?? 'internal'), message: String(message ?? '') } }
}

/** A result that names another item than the one at its place was put into another order. */
function isAnswerTo({ itemKey }: BatchRule, { item }: BatchItem, result: JsonValue): boolean {
  if (itemKey === undefined || !isJsonObject(item) || !isJsonObject(result)) return true
  return result[itemKey] === undefined || result[itemKey] === item[itemKey]
}

function withKeyedResult(
  rule: BatchRule,
  { index, item }: BatchItem,
  results: readonly JsonValue[],
): BatchItem {
  const key = rule.itemKey ?? 'id'
  const result = results.find((candidate) => isJsonObject(candidate) && candidate[key] === item)
  return result === undefined ? { index, item } : { index, item, result }
}

/**
 * The outputs of all groups as one: results in the order of the items, and `total`, `succeeded`, `failed`,
 * `failures`; where results are found by key, also `missing`.
 */
export function mergeItems(rule: BatchRule, items: readonly BatchItem[], first: JsonObject): JsonObject {
  const failures = items.filter((item) => item.error !== undefined)
  const missing = items.filter((item) => item.error === undefined && item.result === undefined)
  return {
    ...first,
    [rule.results]: rule.isPositional
      ? items.map((item) => item.result ?? failedResult(rule, item))
      : items.flatMap((item) => (item.result === undefined ? [] : [item.result])),
    total: items.length,
    succeeded: items.length - failures.length - (rule.isPositional ? 0 : missing.length),
    failed: failures.length,
    failures: failures.map(({ index, item, error }) => ({
      index,
      ...named(rule, item),
      code: error?.code ?? '',
      message: error?.message ?? '',
    })),
    ...(rule.isPositional ? {} : { missing: missing.map(({ item }) => item) }),
  }
}

/** What stands for the result of an item whose group got no answer. */
function failedResult(rule: BatchRule, { item, error }: BatchItem): JsonObject {
  return {
    ...named(rule, item),
    ...rule.emptyResult,
    ...(rule.itemError === undefined || error === undefined
      ? {}
      : { [rule.itemError]: { code: error.code, message: error.message } }),
  }
}

/** The failed items by what they say. */
export function failedItemsOf(rule: BatchRule, items: readonly BatchItem[]): FailedItems | undefined {
  const failures = createFailureCount()
  for (const { index, item, error } of items) {
    if (!error) continue
    const name = nameOf(rule, item)
    const { code, message } = error
    failures.add(index, [{ code, message, count: 1, ...(name === undefined ? {} : { item: name }) }])
  }
  return failures.of(items.length)
}

function nameOf(rule: BatchRule, item: JsonValue): string | undefined {
  const name = keyOf(rule, item)
  return typeof name === 'string' ? name : undefined
}

function named(rule: BatchRule, item: JsonValue): JsonObject {
  const name = keyOf(rule, item)
  return rule.itemKey === undefined || name === undefined ? {} : { [rule.itemKey]: name }
}

/** What the batch knows an item by. */
function keyOf({ itemKey }: BatchRule, item: JsonValue): JsonValue | undefined {
  return isJsonObject(item) && itemKey !== undefined ? item[itemKey] : item
}

/** Whether this many failures are more than the step accepts. */
export function exceeds(tolerance: Tolerance, failed: number, total: number): boolean {
  if (tolerance === 'all') return false
  const allowed = typeof tolerance === 'number' ? tolerance : (total * tolerance.percent) / 100
  return failed > allowed
}

/** Such as `3 of 20 failed (overloaded: mysql.overview, os.overview; timeout: net.tcp_ping), 0 allowed`. */
export function describeFailures(rule: BatchRule, items: readonly BatchItem[], tolerance: Tolerance): string {
  const allowed =
    tolerance === 'all' ? 'all' : typeof tolerance === 'number' ? tolerance : `${tolerance.percent}%`
  return `${countFailures(rule, items)}, ${allowed} allowed`
}

/** Of each code the first items by name, such as `3 of 20 failed (overloaded: a, b, c and 4 more)`. */
export function countFailures(rule: BatchRule, items: readonly BatchItem[]): string {
  const failed = grouped(
    items.flatMap(({ item, error }) => (error ? [[error.code, nameOf(rule, item)] as const] : [])),
  )
  const codes = [...failed].map(([code, names]) => {
    // A longer one would have to be cut before it is masked: views name it.
    const short = names.filter((name) => name !== undefined && name.length <= longestName)
    const first = short.slice(0, namedOfCode)
    const more = names.length - first.length
    if (first.length === 0) return `${code} ${more}`
    return `${code}: ${first.join(', ')}${more === 0 ? '' : ` and ${more} more`}`
  })
  const count = [...failed.values()].reduce((sum, { length }) => sum + length, 0)
  return `${count} of ${items.length} failed (${codes.join('; ')})`
}

const namedOfCode = 3
/** In characters, of the name of an item in a message. */
const longestName = 60
