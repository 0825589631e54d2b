import { createTurns, type TurnOptions, type Turns } from './turns.ts'

/** Lets calls to one target go one at a time. Everybody who calls for an account should share them. */
export interface TargetLocks {
  /** Resolves with the function that frees the target. */
  acquire(key: string, options?: TargetLockOptions): Promise<() => void>
}

export interface TargetLockOptions extends TurnOptions {
  /** Told when another call has the target. */
  readonly onWait?: (() => void) | undefined
}

/** Target locks for the clients of one process. */
export function createTargetLocks(): TargetLocks {
  const targets = new Map<string, { readonly turns: Turns; users: number }>()
  return {
    async acquire(key, options = {}) {
      const target = targets.get(key) ?? { turns: createTurns(1), users: 0 }
      targets.set(key, target)
      if (target.users++ > 0) options.onWait?.()
      const leave = (): void => {
        if (--target.users === 0) targets.delete(key)
      }
      try {
        const release = await target.turns.take(options)
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
