import { condition } from '@temporalio/workflow'

/** Lets only so many calls be on their way at a time. */
export interface Gate {
  /** Takes a place if there is one. */
  tryEnter(): boolean
  /** Resolves when there is a place, or as soon as `isOver` says that nobody wants it any more: then no place is taken. */
  enter(isOver: () => boolean): Promise<boolean>
  leave(): void
}

/** The server refuses a workflow that waits for 2,000 activities; long before that it becomes slow. */
const mostAtOnce = 500

export function createGate(): Gate {
  let inside = 0
  const tryEnter = (): boolean => {
    if (inside >= mostAtOnce) return false
    inside++
    return true
  }
  return {
    tryEnter,
    async enter(isOver) {
      for (;;) {
        if (isOver()) return false
        if (tryEnter()) return true
        await condition(() => inside < mostAtOnce || isOver())
      }
    },
    leave: () => void inside--,
  }
}
