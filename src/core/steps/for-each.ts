import { exceeds } from '../calls/batch.ts'
import { createFailureCount, failureDetails, failuresOf } from '../calls/failed-items.ts'
import { render } from '../expressions/render.ts'
import { nameKind } from '../expressions/value-type.ts'
import { type JsonObject, type JsonValue, jsonSize } from '../json.ts'
import type { ForEachPlan, StepPlan } from '../plan/plan.ts'
import { itemText, mostNameCharacters, shortItem } from '../record/item-name.ts'
import { mostOutputBytes, outputTooLarge } from '../record/run-memory.ts'
import { type ErrorData, RunbookError } from '../run-error.ts'
import { innerApprovals } from './approvals.ts'
import type { Frame } from './frame.ts'
import { cleanUpBlock, runOnce } from './once.ts'
import { permitLoop } from './permit.ts'
import { runPool } from './pool.ts'
import { cancelledResult, caughtResult, type StepResult, withoutUnread } from './step-result.ts'

/** How many failures the outputs name; the count says how many there were. */
const namedFailures = 100

/** Runs what a step stands for once for each item. Over the tolerance no further item is started; running ones end. */
export async function runForEach(
  step: StepPlan,
  forEach: ForEachPlan,
  frame: Frame,
  path: string,
): Promise<StepResult> {
  const { host, cancellation } = frame
  const items = render(forEach.items, frame.scope)
  if (!Array.isArray(items))
    throw new RunbookError('ExpressionFailed', `"for-each" needs a list of items, not ${nameKind(items)}`)
  host.report({ type: 'items_counted', path, total: items.length })
  const refused = frame.approvals && (await permitLoop(step, frame, path))
  if (refused) return refused
  const tally = createTally(forEach, items)
  const open: { readonly index: number; readonly hasBegun: boolean }[] = []
  for (const index of items.keys()) {
    const recalled = host.results?.recall(`${path}[${index}]`)
    if (recalled && recalled !== 'begun') tally.add(index, recalled)
    else open.push({ index, hasBegun: recalled === 'begun' })
  }
  // With all names there are: to give one another value takes much less time than to add it to a copy.
  const around = { ...frame.scope, [forEach.as]: null, index: 0 }
  await runPool(forEach.maxParallel, open.length, async (place) => {
    const { index = 0, hasBegun = false } = open[place] ?? {}
    if (cancellation.reason || (tally.isOver() && !hasBegun)) return
    const itemPath = `${path}[${index}]`
    host.results?.begin(itemPath)
    const item = items[index] as JsonValue
    host.report({ type: 'item_started', path: itemPath, item: shortItem(item) })
    const scope = { ...around, [forEach.as]: item, index }
    const inner = { ...frame, scope, path: itemPath, ...innerApprovals(frame) }
    const result = await runItem(step, inner, itemPath)
    tally.add(index, result)
    const { status, failedItems } = result
    if (status === 'succeeded' && failedItems) frame.memory.tolerate(itemPath, failedItems)
    host.report({
      type: 'item_finished',
      path: itemPath,
      status,
      ...(failedItems ? { failed_items: failedItems } : {}),
    })
    host.results?.remember(itemPath, withoutUnread(result, { isRead: forEach.keepsItems === true }))
  })
  return tally.judge(frame, path)
}

/** One item, with the clean-up of its own if it is a block. `path` is that of the frame. */
async function runItem(step: StepPlan, frame: Frame, path: string): Promise<StepResult> {
  let result: StepResult
  try {
    result = await runOnce(step, frame, path)
  } catch (thrown) {
    result = caughtResult(thrown, frame, path)
  }
  return step.kind === 'block' ? await cleanUpBlock(step, result, frame) : result
}

interface Tally {
  add(index: number, result: StepResult): void
  /** No further item is to be started. */
  isOver(): boolean
  judge(frame: Frame, path: string): StepResult
}

/** The results of the items so far. Of each item only the parts that a step reads or a view shows are kept. */
function createTally(forEach: ForEachPlan, given: readonly JsonValue[]): Tally {
  const total = given.length
  const named = (index: number): JsonObject => ({ index, item: shortItem(given[index] ?? null) })
  const items: JsonObject[] | undefined = forEach.keepsItems
    ? Array.from({ length: total }, (_, index) => ({ ...named(index), status: 'skipped' }))
    : undefined
  const failures: { readonly index: number; readonly error: ErrorData }[] = []
  let [succeeded, failed, attempts, bytes] = [0, 0, 0, 0]
  const kinds = createFailureCount()
  let unknown: StepResult | undefined
  let cancelled: StepResult | undefined

  return {
    add(index, result) {
      attempts += result.attempts
      // An item for which no branch counts has nothing to do.
      if (result.status === 'succeeded' || result.status === 'skipped') succeeded++
      else failed++
      if (result.status === 'unknown') unknown ??= result
      if (result.status === 'cancelled') cancelled ??= result
      if (result.error) {
        addFailure(failures, index, result.error)
        kinds.add(index, failuresOf(result.error), itemText(given[index] ?? null))
      }
      if (!items) return
      const entry = { ...named(index), ...itemOutputs(result) }
      items[index] = entry
      bytes += jsonSize(entry)
    },
    isOver: () => exceeds(forEach.tolerate, failed, total) || bytes > mostOutputBytes,
    judge(frame, path) {
      const outputs: JsonObject = {
        total,
        succeeded,
        failed,
        failures: failures.map(({ index, error }) => ({
          ...named(index),
          code: error.code,
          message: error.message,
        })),
        ...(items ? { items } : {}),
      }
      const failedItems = kinds.of(total)
      const whole = { attempts, outputs, failedItems }
      if (unknown?.error) return { ...whole, status: 'unknown', error: unknown.error }
      const tooLarge = outputTooLarge(bytes)
      if (tooLarge) throw tooLarge
      if (cancelled || (frame.cancellation.reason && succeeded + failed < total))
        return { ...cancelledResult(frame, path), ...whole }
      if (!exceeds(forEach.tolerate, failed, total)) return { ...whole, status: 'succeeded' }
      const [first] = failures
      const name = first === undefined ? '' : nameInMessage(given[first.index] ?? null)
      const message = `${failed} of ${total} items failed; the first is item ${first?.index}${name}: ${first?.error.message}`
      const error = { code: 'TooManyFailures', message, path, ...failureDetails(failedItems) } as const
      return { ...whole, status: 'failed', error }
    },
  }
}

/** Of an item that fits. A longer one would have to be cut before it is masked: views name it. */
function nameInMessage(item: JsonValue): string {
  const text = itemText(item)
  return text.length > mostNameCharacters ? '' : ` (${text})`
}

/** The first in the order of the items, whatever the order they ended in. */
function addFailure(
  failures: { readonly index: number; readonly error: ErrorData }[],
  index: number,
  error: ErrorData,
): void {
  let position = failures.length
  while (position > 0 && (failures[position - 1]?.index ?? 0) > index) position--
  failures.splice(position, 0, { index, error })
  if (failures.length > namedFailures) failures.pop()
}

function itemOutputs({ status, outputs, error }: StepResult): JsonObject {
  return {
    status,
    ...(outputs === undefined ? {} : { outputs }),
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
  }
}
