import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../../core/json.ts'

/** A reference of a document that leads nowhere; its message is for people, after the name of the operation. */
export class LostReference extends Error {}

/** A chain of references that is longer leads to itself. */
const mostSteps = 50

/**
 * Follows the references within a document. Answers undefined for one that leads out of it: no file and no address is
 * read. Throws `LostReference` for one that leads nowhere.
 */
export function createResolver(document: JsonObject): (reference: string) => JsonValue | undefined {
  const known = new Map<string, JsonValue | undefined>()
  const follow = (reference: string, steps: number): JsonValue | undefined => {
    if (!reference.startsWith('#')) return undefined
    if (known.has(reference)) return known.get(reference)
    const target = targetOf(document, reference)
    if (target === undefined)
      throw new LostReference(`refers to "${reference}", which is not in the document`)
    if (steps > mostSteps) throw new LostReference(`refers to "${reference}", which only refers to itself`)
    const next = isJsonObject(target) ? target['$ref'] : undefined
    const found = typeof next === 'string' ? follow(next, steps + 1) : target
    known.set(reference, found)
    return found
  }
  return (reference) => follow(reference, 0)
}

/** The value under a pointer such as `#/components/schemas/a~1b`. */
function targetOf(document: JsonObject, reference: string): JsonValue | undefined {
  const parts = reference.slice(1).split('/').slice(1)
  const path = parts.map((escaped) => decode(escaped).replaceAll('~1', '/').replaceAll('~0', '~'))
  return valueAt(document, path) as JsonValue | undefined
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
