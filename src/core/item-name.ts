import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import { jsonSize } from './json-size.ts'

/** A larger item is recorded without what makes it large. */
const mostItemBytes = 1000
/** Members of a large item that are no larger stay. */
const mostMemberBytes = 100

/** Characters of an item where it is named. */
export const mostNameCharacters = 60

/** What names an item: a text itself, anything else as JSON. */
export function itemText(item: JsonValue): string {
  return typeof item === 'string' ? item : JSON.stringify(item)
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
