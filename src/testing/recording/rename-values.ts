import { isJsonObject, type JsonValue, mapJson } from '../../core/json.ts'
import { createMask, type Mask } from '../../core/mask/index.ts'

/** Replaces known values, plain or encoded, by names. */
export interface Renamer {
  value(value: JsonValue): JsonValue
}

/** Creates a renamer for these values and their names. */
export function createRenamer(names: ReadonlyMap<string, string>): Renamer {
  const mask = createMask([...names.keys()])
  /** The longest first: a value can be a part of another. */
  const known = [...names].toSorted(([one], [other]) => other.length - one.length)
  const masks = new Map<string, Mask>()
  const nameOf = (found: string): string => {
    const exact = names.get(found)
    if (exact !== undefined) return exact
    for (const [value, name] of known) {
      const own = masks.get(value) ?? createMask([value])
      masks.set(value, own)
      if (own.secretsIn(found).length > 0) return name
    }
    return 'sensitive'
  }
  const text = (given: string): string => {
    let renamed = ''
    let from = 0
    for (const { start, end } of mask.secretsIn(given)) {
      renamed += given.slice(from, start) + nameOf(given.slice(start, end))
      from = end
    }
    return renamed + given.slice(from)
  }
  const leafOf = (leaf: JsonValue): JsonValue => {
    if (typeof leaf !== 'string' && typeof leaf !== 'number') return leaf
    const renamed = text(String(leaf))
    return renamed === String(leaf) ? leaf : renamed
  }
  return { value: (given) => mapJson(given, leafOf, text) }
}

/** Every text and number at or under fields of this name, wherever they are. */
export function valuesOfField(value: JsonValue, field: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesOfField(item, field))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, member]) =>
    key === field ? leaves(member) : valuesOfField(member, field),
  )
}

function leaves(value: JsonValue): readonly string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : []
}
