import type { ActionDescription } from '../../core/action.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { suggest } from '../../core/nearest.ts'

/**
 * What is wrong with outputs that a person gives in place of the answer of an action: names that it never answers. What
 * is left out may be something that nobody can find out any more, such as a token.
 */
export function outputProblems(
  outputs: JsonObject,
  { output }: Pick<ActionDescription, 'output'>,
): readonly string[] {
  const known = isJsonObject(output['properties']) ? Object.keys(output['properties']) : []
  if (known.length === 0) return []
  return Object.keys(outputs)
    .filter((name) => !known.includes(name))
    .map((name) => `there is no "${name}"; ${suggest(name, known)}`)
}
