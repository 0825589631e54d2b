import type { ErrorData } from '../../core/run-error.ts'
import type { FailureGroup } from './run-view.ts'

/** The failure of an item. */
export interface ItemFailure extends Pick<ErrorData, 'code' | 'message'> {
  /** What names the item. */
  readonly item?: string
}

type OpenGroup = { -readonly [Key in keyof FailureGroup]: FailureGroup[Key] }

/** Failures of the items of a loop, counted by what they have in common. */
export interface FailureGroups {
  readonly groups: Map<string, OpenGroup>
  /** Those of any further kind are only counted. */
  ungrouped: number
}

const mostGroups = 500

/** Counts failures, whose message is masked; a negative number: they count no longer. */
export function countFailure(
  failures: FailureGroups,
  index: number,
  { code, message, item }: ItemFailure,
  by: number,
): void {
  const { groups } = failures
  const common = commonText(message, item)
  const key = `${code} ${common}`
  const group = groups.get(key)
  if (group) {
    group.count += by
    if (group.message !== cut(message)) group.message = common
    group.first = Math.min(group.first, index)
    if (group.count === 0) groups.delete(key)
  } else if (by > 0 && groups.size < mostGroups)
    groups.set(key, { code, message: cut(message), count: by, first: index })
  else failures.ungrouped += by
}

/** The largest first; `others` counts the items of groups beyond `most`. */
export function listFailures(
  { groups, ungrouped }: FailureGroups,
  most: number,
): { readonly groups: readonly FailureGroup[]; readonly others: number } {
  const sorted = [...groups.values()].sort((one, other) => other.count - one.count || one.first - other.first)
  const others = sorted.slice(most).reduce((sum, { count }) => sum + count, ungrouped)
  return { groups: sorted.slice(0, most).map((group) => ({ ...group })), others }
}

const mostCharacters = 200
const cutOut = '…'
const hostName = /\b[\w-]+(\.[\w-]+)*\.(com|org|net|io|dev|cloud|internal|local|lan|corp|test|example)\b/gi

/** Where a name stands: a short one only as a word of its own. */
function nameIn(item: string): string | RegExp {
  if (item.length >= 3) return item
  const literal = item.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}_'-])${literal}(?![\\p{L}\\p{N}_'-])`, 'gu')
}

/** A message without what differs from item to item: the name of the item, hosts, addresses, ids and numbers. */
function commonText(message: string, item?: string): string {
  const plain = message
    .slice(0, 4 * mostCharacters)
    .replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/"')]+/gi, `$1${cutOut}`)
    .replaceAll(/[\w.:@-]*\d(?:[\w.:@-]*\w)?/g, cutOut)
    .replaceAll(hostName, cutOut)
  // A name with a number is cut out already, with the word around it.
  const named = item === undefined || item === '' ? plain : plain.replaceAll(nameIn(item), cutOut)
  return cut(named.replaceAll(/…(\S?…)+/g, cutOut))
}

function cut(text: string): string {
  const characters = [...text]
  return characters.length <= mostCharacters
    ? text
    : `${characters.slice(0, mostCharacters).join('')}${cutOut}`
}
