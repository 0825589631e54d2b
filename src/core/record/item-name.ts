import { isJsonObject, type JsonObject, type JsonValue, jsonSize } from '../json.ts'

/** A larger item is recorded without what makes it large. */
const mostItemBytes = 1000
/** Members of a large item that are no larger stay. */
const mostMemberBytes = 100

/** Characters of an item where it is named. */
export const mostNameCharacters = 60

/** What names an item: a text itself, of a map its fields such as `host=web-01`, anything else as JSON. */
export function itemText(item: JsonValue): string {
  if (typeof item === 'string') return item
  if (!isJsonObject(item)) return JSON.stringify(item)
  const fields = Object.entries(item).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return fields.length === 0 ? '{}' : fields.join(', ')
}

/** An item where it is named: at most 60 characters, masked before it is cut, since no mask finds half a secret. */
export function itemName(item: JsonValue, mask?: { text(text: string): string }): string {
  const text = itemText(item)
  const characters = [...(mask ? mask.text(text) : text)]
  if (characters.length <= mostNameCharacters) return characters.join('')
  return `${characters.slice(0, mostNameCharacters - 1).join('')}…`
}

/** The items that a path leads into, outermost first: of `a[1]/b[2]/c` `a[1]` and `a[1]/b[2]`. */
export function itemPathsOf(path: string): readonly string[] {
  return [...path.matchAll(/\[\d+\]/g)].map(({ index, 0: part }) => path.slice(0, index + part.length))
}

/** The position of an item in its list: 2 of `a[1]/b[2]`. */
export function itemIndex(itemPath: string): number {
  return Number(itemPath.slice(itemPath.lastIndexOf('[') + 1, -1))
}

/**
 * The item as records hold it: whole up to 1,000 bytes, a larger map with its small members, anything else as its size.
 * No value is cut: half a secret is one that no mask finds.
 */
export function shortItem(item: JsonValue): JsonValue {
  const bytes = jsonSize(item)
  if (bytes <= mostItemBytes) return item
  const members = isJsonObject(item) ? smallMembers(item) : {}
  const isNamed = Object.keys(members).length > 0 && jsonSize(members) <= mostItemBytes
  return isNamed ? members : `(${bytes} bytes)`
}

function smallMembers(item: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => jsonSize(value) <= mostMemberBytes))
}
