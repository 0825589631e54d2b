import { type ExpressionTree, pathOf } from '../expressions/index.ts'
import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../json.ts'
import type { Plan } from '../plan/plan.ts'
import { listenedHook, listeningSteps } from './listened-hooks.ts'

/** What a field of an event has to be, for a step to want the event. */
export interface WantedField {
  /** The names from the event to the field. */
  readonly path: readonly string[]
  readonly value: string | number | boolean
  /** An event without the field is not wanted. Left out: the condition fails on it, which the log of the run says. */
  readonly isOptional?: true
}

/** Longer texts are not kept for each run, nor more fields of one hook: the run is sent all events then. */
const longestValue = 200
const mostFields = 5

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
    [...wanted].flatMap(([hook, fields]) =>
      fields && fields.length <= mostFields ? [[hook, fields] as const] : [],
    ),
  )
}

/** Whether a step wants an event with this body, or has to say that its condition fails on it. */
export function canBeWanted(
  body: JsonValue | undefined,
  fields: readonly WantedField[] | undefined,
): boolean {
  // A body that was not kept is passed over with a line in the log.
  if (fields === undefined || body === undefined) return true
  return fields.some(({ path, value, isOptional }) => {
    const found = fieldAt(body, path)
    if (found === 'missing') return isOptional !== true
    return found === 'nowhere' || found.value === value
  })
}

/** The field; or whether it is missing in a map, or cannot be there. */
function fieldAt(
  from: JsonValue,
  [name, ...rest]: readonly string[],
): { readonly value: JsonValue } | 'missing' | 'nowhere' {
  if (name === undefined) return { value: from }
  if (!isJsonObject(from)) return 'nowhere'
  return Object.hasOwn(from, name) ? fieldAt(from[name] ?? null, rest) : 'missing'
}

/** The comparison that is made first: where it is false, nothing else of the condition is evaluated, and can fail. */
function fieldIn(tree: ExpressionTree, known: JsonObject): WantedField | undefined {
  if (tree.kind === 'and') return fieldIn(tree.left, known)
  if (tree.kind !== 'binary' || tree.operator !== '==') return undefined
  return asField(tree.left, tree.right, known) ?? asField(tree.right, tree.left, known)
}

function asField(field: ExpressionTree, other: ExpressionTree, known: JsonObject): WantedField | undefined {
  const value = other.kind === 'value' ? other.value : valueAt(known, namesIn(other))
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  if (typeof value === 'string' && value.length > longestValue) return undefined
  // An event without the field can be wanted, too, where it stands for the value.
  const isUsual =
    field.kind === 'default' && field.otherwise.kind === 'value' && field.otherwise.value !== value
  const [root, ...path] = namesIn(isUsual ? field.of : field)
  if (root !== 'event' || path.length === 0) return undefined
  return { path, value, ...(isUsual ? { isOptional: true } : {}) }
}

/** The names of a path such as `event.body.id`; none for anything else. */
function namesIn(tree: ExpressionTree): readonly string[] {
  const path = pathOf(tree)
  return path !== undefined && /^\w+(?:\.\w+)*$/.test(path) ? path.split('.') : []
}
