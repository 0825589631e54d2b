import type { ErrorData } from '../../core/run-error.ts'
import { commonText, startOfMessage } from '../../core/text/index.ts'
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
    if (group.message !== startOfMessage(message)) group.message = common
    group.first = Math.min(group.first, index)
    if (group.count === 0) groups.delete(key)
  } else if (by > 0 && groups.size < mostGroups)
    groups.set(key, { code, message: startOfMessage(message), count: by, first: index })
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
