import { createSemaphore, type Semaphore, type SlotOptions } from './semaphore.ts'

/** Runs one call per target at a time. All callers of an account should share them. */
export interface TargetLocks {
  /** Resolves with the function that frees the target. */
  acquire(key: string, options?: TargetLockOptions): Promise<() => void>
}

export interface TargetLockOptions extends SlotOptions {
  /** Called when another call holds the lock. */
  readonly onWait?: (() => void) | undefined
}

/** Target locks for the clients of one process. */
export function createTargetLocks(): TargetLocks {
  const targets = new Map<string, { readonly slots: Semaphore; users: number }>()
  return {
    async acquire(key, options = {}) {
      const target = targets.get(key) ?? { slots: createSemaphore(1), users: 0 }
      targets.set(key, target)
      if (target.users++ > 0) options.onWait?.()
      const leave = (): void => {
        if (--target.users === 0) targets.delete(key)
      }
      try {
        const release = await target.slots.take(options)
        return () => {
          release()
          leave()
        }
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}
