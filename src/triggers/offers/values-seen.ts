import type { Expression } from '../../core/expressions/tree.ts'
import { lookUp } from '../../core/forecast/look-up.ts'
import { type Reference, referencesIn } from '../../core/forecast/references.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { formatPath } from '../../load/json-path.ts'
import { withoutSecrets } from './without-secrets.ts'

const mostCharacters = 500

/** The values that an expression reads, by their paths. Of a path that leads nowhere it is the last value on the way. */
export function valuesSeen(expression: Expression, scope: JsonObject): JsonObject {
  const seen = referencesIn(expression.tree).flatMap((reference) => {
    const found = findOnTheWay(reference, scope)
    if (!found) return []
    const last = String(found.reference.at(-1))
    return [[formatPath(found.reference), shortened(withoutSecrets(last, found.value))] as const]
  })
  return Object.fromEntries(seen)
}

function findOnTheWay(
  reference: Reference,
  scope: JsonObject,
): { readonly reference: Reference; readonly value: JsonValue } | undefined {
  const [root, ...path] = reference
  for (let length = path.length; length >= 0; length--) {
    const part: Reference = [root, ...path.slice(0, length)]
    const value = lookUp(part, scope)
    if (value !== undefined) return { reference: part, value }
  }
  return undefined
}

/** Large ones are cut off: the event itself is in the record. */
function shortened(value: JsonValue): JsonValue {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : value
}
