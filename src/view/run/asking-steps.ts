import { isForPerson, type TimedRunEvent } from '../../core/events.ts'
import { isCountedOnly } from '../../core/people/index.ts'

/** Keeps the paths of the steps that wait for a person or an event. */
export function takeAsking(paths: Set<string>, event: TimedRunEvent): void {
  if (event.type === 'run_started') paths.clear()
  else if (event.type === 'waiting' && (isForPerson(event.reason) || event.reason === 'event'))
    paths.add(event.path)
  else if (event.type === 'answered' ? !isCountedOnly(event) : isEndOfWait.has(event.type))
    if ('path' in event) paths.delete(event.path)
}

const isEndOfWait: ReadonlySet<TimedRunEvent['type']> = new Set([
  'attempt_started',
  'attempt_succeeded',
  'attempt_failed',
  'step_finished',
  'item_finished',
])
