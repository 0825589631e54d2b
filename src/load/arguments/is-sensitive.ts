import type { Reference } from '../../core/expressions/index.ts'
import { isJsonObject, type JsonValue, valueAt } from '../../core/json.ts'
import { canBeSensitive } from '../../core/record/index.ts'
import type { CompileContext } from '../compile/context.ts'

/**
 * Whether a path leads to something that views mask, as far as the runbook says so: an input that its schema marks, or
 * a field that the step or its action marks.
 */
export function isSensitive(context: CompileContext, [root, ...path]: Reference): boolean {
  if (root === 'inputs') return isMarkedInput(context.document.inputs, path)
  const [id, part, ...field] = path
  if (root !== 'steps' || part !== 'outputs') return false
  const place = context.index.get(String(id))
  const step = place && valueAt(context.source.value, place.path)
  // What a step makes of its outputs has other names.
  if (!isJsonObject(step) || step['outputs'] !== undefined) return false
  const ofAction = context.actions.get(String(step['uses']))?.sensitiveOutput ?? []
  const ofStep = Array.isArray(step['sensitive']) ? step['sensitive'].map(String) : []
  return [...ofAction, ...ofStep].some((one) => meets(one.split('.'), field))
}

/** Whether one of the two paths leads to the other, or through it. */
function meets(marked: readonly string[], read: Reference | readonly (string | number)[]): boolean {
  return marked.every((name, at) => at >= read.length || name === '*' || name === String(read[at]))
}

function isMarkedInput(given: unknown, [name, ...rest]: readonly (string | number)[]): boolean {
  const schema = given as JsonValue | undefined
  if (!isJsonObject(schema)) return false
  if (schema['writeOnly'] === true || schema['format'] === 'password') return true
  if (name === undefined) return canBeSensitive(schema)
  const { properties, items } = schema
  if (typeof name === 'number') return isMarkedInput(items, rest)
  const isNamed = isJsonObject(properties) && Object.hasOwn(properties, name)
  return isMarkedInput(isNamed ? properties[name] : schema['additionalProperties'], rest)
}
