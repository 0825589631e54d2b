import type { ErrorData } from '../run-error.ts'

/** Reports to work that it must end, and why: a person, its time limit, another branch. */
export interface Cancellation {
  /** Why. Undefined as long as the work is wanted. */
  readonly reason: ErrorData | undefined
  /** Calls back once, at once where it has been cancelled already. Answers with the function that takes it back. */
  onCancel(listener: () => void): () => void
}

/** A cancellation together with the right to cancel. */
export interface CancellationSource extends Cancellation {
  /** The first reason counts. */
  cancel(reason: ErrorData): void
  /** Cuts the tie to the parent: for work that has ended. */
  close(): void
}

/** A cancellation that follows its parent, where it has one, and can be cancelled by itself. */
export function createCancellation(parent?: Cancellation): CancellationSource {
  const listeners = new Set<() => void>()
  let reason: ErrorData | undefined
  const cancel = (why: ErrorData): void => {
    if (reason) return
    reason = why
    for (const listener of [...listeners]) listener()
    listeners.clear()
  }
  const leave = parent?.onCancel(() => {
    if (parent.reason) cancel(parent.reason)
  })
  return {
    get reason() {
      return reason
    },
    onCancel(listener) {
      if (reason) listener()
      else listeners.add(listener)
      return () => listeners.delete(listener)
    },
    cancel,
    close: () => leave?.(),
  }
}
