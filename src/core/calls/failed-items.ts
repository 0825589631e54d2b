import type { FailedItems, FailureKind } from '../events.ts'
import type { ErrorData } from '../run-error.ts'

/** How many kinds of failures a step names; its counts are of all. */
const namedKinds = 10

/** Counts the failed items of a loop or batch, by what they say. */
export interface FailureCount {
  /** `item`: what a batch knows it by. Failures of one kind have the same code, and the same item where it has a name. */
  add(index: number, error: Pick<ErrorData, 'code' | 'message'>, item?: string): void
  /** Of all items; undefined where none has failed. What of them failed is for a person to resolve where it is unknown. */
  of(total: number): FailedItems | undefined
}

export function createFailureCount(): FailureCount {
  const kinds = new Map<string, FailureKind>()
  let failed = 0
  return {
    add(index, { code, message }, item) {
      if (code === 'OutcomeUnknown') return
      failed++
      const key = `${code} ${item ?? ''}`
      const known = kinds.get(key)
      if (known) kinds.set(key, { ...known, count: known.count + 1 })
      else if (kinds.size < namedKinds)
        kinds.set(key, { code, message, ...(item === undefined ? {} : { item }), index, count: 1 })
    },
    of: (total) => (failed === 0 ? undefined : { total, failed, kinds: [...kinds.values()] }),
  }
}
