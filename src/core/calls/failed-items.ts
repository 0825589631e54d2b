import type { FailedItems, FailureKind } from '../events.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import { withoutPositions } from '../plan/step-address.ts'
import type { ErrorData } from '../run-error.ts'
import { commonText } from '../text/common-text.ts'

/** How many kinds of failures a step names; its counts are of all. */
const namedKinds = 10
/** How many places of each kind are named. */
const namedPlaces = 3

/** What items failed with, and how many of them. */
type Failure = Omit<FailureKind, 'index'>

/** Counts the failed items of a loop or batch, by what they say. */
export interface FailureCount {
  /** `name`: what names the item in messages. */
  add(index: number, failures: readonly Failure[], name?: string): void
  /** Of all items; undefined where none has failed. What of them failed is for a person to resolve where it is unknown. */
  of(total: number): FailedItems | undefined
}

export function createFailureCount(): FailureCount {
  const kinds = new Map<string, FailureKind>()
  let failed = 0
  return {
    add(index, failures, name) {
      if (failures.some(({ code }) => code === 'OutcomeUnknown')) return
      failed++
      for (const failure of failures) {
        const key = kindKey(failure, failure.paths?.[0], name)
        const known = kinds.get(key)
        if (known) kinds.set(key, { ...known, ...addKinds(known, failure) })
        else if (kinds.size < namedKinds) kinds.set(key, { ...failure, index })
      }
    },
    of: (total) => (failed === 0 ? undefined : { total, failed, kinds: [...kinds.values()] }),
  }
}

/** What failures of one kind have in common: the step, the code, and what they say, or of what a batch names the item. */
export function kindKey({ code, message, item }: Failure, path = '', name?: string): string {
  return JSON.stringify([withoutPositions(path), code, item ?? null, item ?? commonText(message, name)])
}

/** How many both are, and where the first of them were. */
export function addKinds(
  one: Pick<FailureKind, 'count' | 'paths'>,
  other: Pick<FailureKind, 'count' | 'paths'>,
): Pick<FailureKind, 'count' | 'paths'> {
  const paths = [...new Set([...(one.paths ?? []), ...(other.paths ?? [])])].slice(0, namedPlaces)
  return { count: one.count + other.count, ...(paths.length === 0 ? {} : { paths }) }
}

/** The details of a failure that is one of too many items: what they failed with. */
export function failureDetails(failed: FailedItems | undefined): Pick<ErrorData, 'details'> {
  return failed === undefined ? {} : { details: { failures: failed.kinds as unknown as JsonObject[] } }
}

/** What a failed item of a loop failed with: where a loop or batch in it had too many failures, these. */
export function failuresOf({ code, message, path, details }: ErrorData): readonly Failure[] {
  const paths = path === undefined ? {} : { paths: [path] }
  const inner = code === 'TooManyFailures' && isJsonObject(details) ? details['failures'] : undefined
  if (!Array.isArray(inner)) return [{ code, message, count: 1, ...paths }]
  return (inner as unknown as readonly FailureKind[]).map(({ index: _, ...kind }) => ({ ...paths, ...kind }))
}
