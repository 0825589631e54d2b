import { exceeds } from '../batch.ts'
import { kindOf, type Scope } from '../expressions/evaluate.ts'
import { render } from '../expressions/render.ts'
import type { Host } from '../host.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { ForEachPlan, UsesPlan } from '../plan.ts'
import { endsRun, errorData, RunbookError } from '../run-error.ts'
import type { StepResult } from './step.ts'
import { runUses } from './uses.ts'

/** How many failures the outputs name; the count says how many there were. */
const namedFailures = 100

/** Runs the body once for each item. Over the tolerance no further item is started; running ones end. */
export async function runForEach(
  path: string,
  forEach: ForEachPlan,
  uses: UsesPlan,
  scope: Scope,
  host: Host,
): Promise<StepResult> {
  const items = render(forEach.items, scope)
  if (!Array.isArray(items)) {
    throw new RunbookError('ExpressionFailed', `"for-each" needs a list of items, not ${kindOf(items)}`)
  }
  host.report({ type: 'items_counted', path, total: items.length })
  const results: (StepResult | undefined)[] = items.map(() => undefined)
  let failed = 0
  await runPool(forEach.maxParallel, items.length, async (index) => {
    if (exceeds(forEach.tolerate, failed, items.length)) return
    const itemPath = `${path}[${index}]`
    const inner = { ...scope, [forEach.as]: items[index] as JsonValue, index }
    const result = await runItem(itemPath, uses, inner, host)
    if (result.status !== 'succeeded') failed++
    results[index] = result
    host.report({ type: 'item_finished', path: itemPath, status: result.status })
  })
  return judge(path, forEach, results)
}

async function runItem(path: string, uses: UsesPlan, scope: Scope, host: Host): Promise<StepResult> {
  try {
    return await runUses(path, uses, scope, host)
  } catch (thrown) {
    if (endsRun(thrown)) throw thrown
    return { status: 'failed', attempts: 0, error: { ...errorData(thrown), path } }
  }
}

/**
 * Runs `body` for 0 … count-1, at most `size` at a time, in order. Waits for all before it rejects, and then with
 * an unknown outcome rather than with anything else.
 */
async function runPool(size: number, count: number, body: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  let hasFailed = false
  const worker = async (): Promise<void> => {
    while (next < count && !hasFailed) {
      try {
        await body(next++)
      } catch (thrown) {
        hasFailed = true
        throw thrown
      }
    }
  }
  const settled = await Promise.allSettled(Array.from({ length: Math.min(size, count) }, worker))
  const reasons = settled.flatMap((result): unknown[] =>
    result.status === 'rejected' ? [result.reason] : [],
  )
  const unknown = reasons.find((reason) => errorData(reason).code === 'OutcomeUnknown')
  if (reasons.length > 0) throw unknown ?? reasons[0]
}

function judge(path: string, forEach: ForEachPlan, results: readonly (StepResult | undefined)[]): StepResult {
  const total = results.length
  const failures = results.flatMap((result, index): JsonObject[] =>
    result?.error ? [{ index, code: result.error.code, message: result.error.message }] : [],
  )
  const outputs: JsonObject = {
    total,
    succeeded: results.filter((result) => result?.status === 'succeeded').length,
    failed: failures.length,
    failures: failures.slice(0, namedFailures),
    items: results.map((result) => (result ? itemOutputs(result) : { status: 'skipped' })),
  }
  const attempts = results.reduce((sum, result) => sum + (result?.attempts ?? 0), 0)
  const unknown = results.find((result) => result?.status === 'unknown')
  if (unknown?.error) return { status: 'unknown', attempts, outputs, error: unknown.error }
  if (!exceeds(forEach.tolerate, failures.length, total)) return { status: 'succeeded', attempts, outputs }
  const first = failures[0]
  const message = `${failures.length} of ${total} items failed; the first is item ${first?.['index']}: ${first?.['message']}`
  return { status: 'failed', attempts, outputs, error: { code: 'TooManyFailures', message, path } }
}

function itemOutputs({ status, outputs, error }: StepResult): JsonObject {
  return {
    status,
    ...(outputs === undefined ? {} : { outputs }),
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
  }
}
