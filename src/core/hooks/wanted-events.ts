import { type ExpressionTree, pathOf } from '../expressions/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { Plan } from '../plan/plan.ts'
import { listenedHook, listeningSteps } from './listened-hooks.ts'

/** What a field of an event has to be, for a step to want the event. */
export interface WantedField {
  /** The names from the event to the field. */
  readonly path: readonly string[]
  readonly value: string | number | boolean
}

/**
 * By hook, one of these is true of every event that a step of the run wants: what its `where` compares with what the run
 * knows at its start. A hook is left out where nothing is known of a step.
 */
export function wantedFields(
  plan: Plan,
  runId: string,
  inputs: JsonObject,
): Readonly<Record<string, readonly WantedField[]>> {
  // In a runbook that another one runs, `inputs` are other ones.
  const known = { run: { id: runId }, ...(Object.keys(plan.children ?? {}).length === 0 ? { inputs } : {}) }
  const wanted = new Map<string, WantedField[] | undefined>()
  for (const step of listeningSteps(plan)) {
    const hook = listenedHook(step, runId)
    const field = step.where && fieldIn(step.where.tree, known)
    const others = wanted.has(hook) ? wanted.get(hook) : []
    wanted.set(hook, field && others && [...others, field])
  }
  return Object.fromEntries(
    [...wanted].flatMap(([hook, fields]) => (fields ? [[hook, fields] as const] : [])),
  )
}

/** Whether a step can want an event with this body. */
export function canBeWanted(
  body: JsonValue | undefined,
  fields: readonly WantedField[] | undefined,
): boolean {
  // A body that was not kept is passed over with a line in the log.
  if (fields === undefined || body === undefined) return true
  return fields.some(({ path, value }) => valueAt(body, path) === value)
}

/** A comparison that is part of the condition whatever else is. */
function fieldIn(tree: ExpressionTree, known: JsonObject): WantedField | undefined {
  if (tree.kind === 'and') return fieldIn(tree.left, known) ?? fieldIn(tree.right, known)
  if (tree.kind !== 'binary' || tree.operator !== '==') return undefined
  return asField(tree.left, tree.right, known) ?? asField(tree.right, tree.left, known)
}

function asField(field: ExpressionTree, other: ExpressionTree, known: JsonObject): WantedField | undefined {
  const value = other.kind === 'value' ? other.value : valueAt(known, namesIn(other))
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  // An event without the field can be wanted, too, where it stands for the value.
  const isUsual =
    field.kind === 'default' && field.otherwise.kind === 'value' && field.otherwise.value !== value
  const [root, ...path] = namesIn(isUsual ? field.of : field)
  return root === 'event' && path.length > 0 ? { path, value } : undefined
}

/** The names of a path such as `event.body.id`; none for anything else. */
function namesIn(tree: ExpressionTree): readonly string[] {
  const path = pathOf(tree)
  return path !== undefined && /^\w+(?:\.\w+)*$/.test(path) ? path.split('.') : []
}

function valueAt(from: JsonValue, path: readonly string[]): JsonValue | undefined {
  const [name, ...rest] = path
  if (name === undefined) return from
  return isJsonObject(from) && Object.hasOwn(from, name) ? valueAt(from[name] ?? null, rest) : undefined
}
