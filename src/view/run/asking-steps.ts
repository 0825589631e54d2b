import { isForPerson, type TimedRunEvent } from '../../core/events.ts'
import { isCountedOnly } from '../../core/people/index.ts'

/** The steps that wait for a person or an event. */
export interface AskingSteps {
  take(event: TimedRunEvent): void
  clear(): void
  readonly count: number
}

/** Creates the set of them, empty. */
export function createAskingSteps(): AskingSteps {
  const paths = new Set<string>()
  return {
    take(event) {
      if (event.type === 'waiting' && (isForPerson(event.reason) || event.reason === 'event'))
        paths.add(event.path)
      else if (event.type === 'answered' ? !isCountedOnly(event) : isEndOfWait.has(event.type))
        if ('path' in event) paths.delete(event.path)
    },
    clear: () => paths.clear(),
    get count() {
      return paths.size
    },
  }
}

const isEndOfWait: ReadonlySet<TimedRunEvent['type']> = new Set([
  'attempt_started',
  'attempt_succeeded',
  'attempt_failed',
  'step_finished',
  'item_finished',
])
