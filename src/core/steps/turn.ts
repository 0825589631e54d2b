import { valuesRead } from '../expressions/references.ts'
import { render } from '../expressions/render.ts'
import type { Template } from '../expressions/tree.ts'
import { nameKind } from '../expressions/value-type.ts'
import type { RememberedResult } from '../host/host.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { BlockStepPlan, TurnsPlan } from '../plan/plan.ts'
import { RunbookError } from '../run-error.ts'
import { holds } from './condition.ts'
import { type Frame, visibleSteps, withNames } from './frame.ts'
import { runBlock } from './sequence.ts'
import { caughtResult, type StepResult } from './step-result.ts'

/** One turn of a block that is repeated. */
export interface Turn {
  readonly step: BlockStepPlan
  readonly turns: TurnsPlan
  readonly values: JsonObject
  readonly index: number
  /** There is no turn after it. */
  readonly isFinal: boolean
}

/** What a turn came to, and what it hands on. */
export interface TurnResult extends Omit<StepResult, 'outputs'> {
  /** The values of the next turn. */
  readonly next?: JsonObject
  /** What is collected of it. */
  readonly item?: JsonValue
  /** The condition is true: it is the last one. */
  readonly isDone?: boolean
  /** What the condition read in the final turn. */
  readonly read?: JsonObject
}

/** Runs one turn, unless it is remembered. The path of the frame is that of the turn. */
export async function runTurn(turn: Turn, frame: Frame): Promise<TurnResult> {
  const { host, path } = frame
  const recalled = host.results?.recall(path)
  if (recalled && recalled !== 'begun') return takeAgain(recalled, frame)
  host.results?.begin(path)
  host.report({ type: 'item_started', path })
  const result = await makeTurn(turn, frame)
  host.report({ type: 'item_finished', path, status: result.status })
  host.results?.remember(path, toRemember(turn, result))
  forgetValues(turn, frame)
  return result
}

async function makeTurn({ step, turns, values, index, isFinal }: Turn, frame: Frame): Promise<TurnResult> {
  const within = withNames(frame, { turn: { ...values, index } })
  let result: StepResult
  try {
    result = await runBlock(step.steps, within)
    if (result.status !== 'succeeded') return result
    const after = withNames(within, { steps: result.inner ?? {} })
    const next = { ...values, ...renderMap('next', turns.next, after) }
    const item = turns.collect && render(turns.collect, after.scope)
    const { scope } = withNames(after, { next })
    const isDone = holds(turns.until, 'until', scope)
    return {
      ...result,
      next,
      ...(item === undefined ? {} : { item }),
      isDone,
      ...(isFinal && !isDone ? { read: valuesRead(turns.until, scope) } : {}),
    }
  } catch (thrown) {
    return caughtResult(thrown, frame, frame.path)
  }
}

/** What the next execution of the run needs of a turn. After the last one, its steps are still read. */
function toRemember({ step, values, isFinal }: Turn, result: TurnResult): RememberedResult {
  // A turn that failed hands on what it was given: the values of the turn before are forgotten.
  const { status, attempts, error, inner, next = values, item, isDone, read } = result
  const isLast = isDone || isFinal || status !== 'succeeded'
  const steps = isLast ? step.steps.flatMap(({ id }) => (inner?.[id] ? [[id, inner[id]] as const] : [])) : []
  const outputs: JsonObject = {
    next,
    ...(item === undefined ? {} : { item }),
    ...(isDone ? { isDone } : {}),
    ...(read === undefined ? {} : { read }),
    ...(steps.length === 0 ? {} : { steps: Object.fromEntries(steps) }),
  }
  return { status, attempts, outputs, ...(error === undefined ? {} : { error }) }
}

function takeAgain({ outputs, ...result }: RememberedResult, frame: Frame): TurnResult {
  const { steps, ...handed } = isJsonObject(outputs) ? outputs : {}
  return { ...result, ...handed, inner: { ...visibleSteps(frame), ...(isJsonObject(steps) ? steps : {}) } }
}

/** No turn sees the values of one before the last: they are kept no longer. */
function forgetValues({ index }: Turn, { host, path }: Frame): void {
  const before = path.replace(/\[\d+\]$/, `[${index - 1}]`)
  const result = index === 0 ? undefined : host.results?.recall(before)
  if (!result || result === 'begun' || !isJsonObject(result.outputs)) return
  const { next: _, ...outputs } = result.outputs
  host.results?.remember(before, { ...result, outputs })
}

/** The values of a turn; without a template there are none. */
export function renderMap(key: string, template: Template | undefined, { scope }: Frame): JsonObject {
  const value = template === undefined ? {} : render(template, scope)
  if (isJsonObject(value)) return value
  throw new RunbookError('ExpressionFailed', `"${key}" is ${nameKind(value)}, not a map`)
}
