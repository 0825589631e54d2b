import type { RunEvent } from '../../../core/events.ts'

/**
 * What has been told of what is not over yet. An execution that goes on walks through it once more, and tells of it
 * again: that is no news.
 */
export interface Told {
  /** Whether the event has been told before. Each one counts once. */
  isAgain(event: RunEvent): boolean
  /** What is told now. */
  add(event: RunEvent): void
  /** By the paths that are open. */
  carry(isOpen: (path: string) => boolean): readonly (readonly [path: string, told: readonly string[]])[]
}

export function createTold(before: ReturnType<Told['carry']>): Told {
  const again = new Map(before.map(([path, told]) => [path, [...told]]))
  const told = new Map(before.map(([path, all]) => [path, [...all]]))
  return {
    isAgain(event) {
      const left = again.get(pathOf(event))
      const at = left?.indexOf(nameOf(event)) ?? -1
      if (at < 0) return false
      left?.splice(at, 1)
      return true
    },
    add(event) {
      const path = pathOf(event)
      // What has ended is walked through no more.
      if (event.type === 'step_finished' || event.type === 'item_finished') told.delete(path)
      else if (isOfInterpreter(event)) {
        const known = told.get(path)
        if (known) known.push(nameOf(event))
        else told.set(path, [nameOf(event)])
      }
    },
    carry: (isOpen) => [...told].filter(([path]) => isOpen(path)),
  }
}

/** Attempts, pauses and what people want are told by the host, which tells of them once. */
function isOfInterpreter(event: RunEvent): boolean {
  switch (event.type) {
    case 'attempt_started':
    case 'attempt_succeeded':
    case 'run_cancelling':
    case 'run_paused':
    case 'run_unpaused':
      return false
    case 'logged':
      return event.attempt === undefined
    case 'waiting':
      return event.reason !== 'pause' && event.reason !== 'budget' && event.reason !== 'target'
    default:
      return true
  }
}

function pathOf(event: RunEvent): string {
  return 'path' in event ? event.path : ''
}

function nameOf(event: RunEvent): string {
  switch (event.type) {
    case 'waiting':
      return `${event.type} ${event.reason}`
    case 'attempt_failed':
      return `${event.type} ${event.attempt}`
    default:
      return event.type
  }
}
