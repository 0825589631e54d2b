import { evaluateTemplate, type Known, type KnownScope, known, unknown } from '../expressions/known.ts'
import type { ForEachPlan } from '../plan/plan.ts'
import { settled } from '../plan/settings.ts'
import { previewTolerance, previewValue } from './preview-value.ts'
import { nothing, type Task } from './shortest-time.ts'
import { eitherCalls, type LoopPreview, timesCalls, unknownTimes } from './step-preview.ts'
import {
  addProblem,
  callsIn,
  mapCalls,
  type Usage,
  type WalkContext,
  type WalkedBody,
  walkedItems,
} from './walk-context.ts'

/** A body done once for each item: shown once, counted and checked for every item that is known. */
export interface WalkedLoop {
  readonly loop: LoopPreview
  /** The body, for an item that is not yet known. */
  readonly body: WalkedBody
  readonly task: Task
  readonly usage: readonly Usage[]
}

type Body = (scope: KnownScope, context: WalkContext) => WalkedBody

export function walkLoop(
  forEach: ForEachPlan,
  scope: KnownScope,
  context: WalkContext,
  walkBody: Body,
  readsItem: boolean,
): WalkedLoop {
  const withItem = (item: Known, index: Known): KnownScope => ({ ...scope, [forEach.as]: item, index })
  const inLoop = { ...context, isMeasured: false }
  const items = itemsOf(forEach, scope, context)
  const isOpen = items === undefined || items.length > context.budget.items
  const calls = isOpen ? context.calls?.inside(openItems(forEach, scope)) : undefined
  const body = walkBody(withItem(unknown, unknown), { ...inLoop, isCertain: false, calls })
  /** What holds for every item, where the body is the same for all of them. */
  let same: WalkedBody | undefined
  const each = (items ?? []).flatMap((item, index) => {
    if (context.budget.items <= 0) return []
    context.budget.items--
    if (same) return [same]
    const found = context.problems.length + context.files.size
    const walked = walkBody(withItem(item, known(index)), {
      ...inLoop,
      path: `${context.path}[${index}]`,
      calls: isOpen ? undefined : context.calls?.inside(),
    })
    // Each item reports a problem under its own path, its calls, and its files.
    if (!readsItem && !context.calls && context.problems.length + context.files.size === found) same = walked
    return [walked]
  })
  const rest = (items?.length ?? 0) - each.length
  // What is known of the items counts for each of them, as it does for the loop.
  const counted = rest > 0 || each.length === 0 ? [...each, body] : each
  return {
    loop: {
      items: previewValue(forEach.items, scope),
      count: items?.length ?? null,
      as: forEach.as,
      max_parallel: settled(forEach, 'maxParallel'),
      tolerate: previewTolerance(forEach.tolerate),
      calls_per_item: eitherCalls(counted.map(({ usage }) => callsIn(usage))),
    },
    body,
    task: items === undefined ? nothing : taskOf(each, body, rest, forEach.maxParallel),
    usage:
      items === undefined
        ? mapCalls(body.usage, unknownTimes)
        : [
            ...each.flatMap(({ usage }) => usage),
            ...mapCalls(body.usage, (calls) => timesCalls(calls, rest)),
          ],
  }
}

/** Why it is not known how often the body runs. */
function openItems({ items }: ForEachPlan, scope: KnownScope): readonly string[] {
  const evaluated = evaluateTemplate(items, scope)
  return evaluated.state === 'unknown' ? evaluated.needs : [`more than ${walkedItems} items`]
}

/** The items, each as far as it is known; undefined where not even their number is. */
function itemsOf(
  { items }: ForEachPlan,
  scope: KnownScope,
  context: WalkContext,
): readonly Known[] | undefined {
  if (items.kind === 'list') {
    return items.items.map((item) => {
      const evaluated = evaluateTemplate(item, scope)
      return evaluated.state === 'known' ? known(evaluated.value) : unknown
    })
  }
  const evaluated = evaluateTemplate(items, scope)
  if (evaluated.state === 'failed')
    addProblem(context, '.for-each.items', `cannot be evaluated: ${evaluated.message}`)
  if (evaluated.state !== 'known') return undefined
  if (Array.isArray(evaluated.value)) return evaluated.value.map(known)
  addProblem(context, '.for-each.items', 'is not a list')
  return undefined
}

function taskOf(each: readonly WalkedBody[], body: WalkedBody, rest: number, maxParallel: number): Task {
  const walked: Task = { kind: 'together', tasks: each.map(({ task }) => task), atOnce: maxParallel }
  if (rest === 0) return walked
  return {
    kind: 'sequence',
    tasks: [walked, { kind: 'repeated', task: body.task, count: rest, atOnce: maxParallel }],
  }
}
