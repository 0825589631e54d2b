import type { Journal } from './journal.ts'
import { placeOfPath } from './places.ts'

/** Everything in which the steps and the log of a run that went well differ from its journal. */
export function checkRecord({ run, attempts, events }: Journal): readonly string[] {
  if (run.status !== 'succeeded') return []
  const ends = events.flatMap(({ event }) => (event.type === 'step_finished' ? [event] : []))
  return run.steps.flatMap(({ path, action, status, attempts: counted }) => {
    const told = ends.filter((event) => event.path === path).map((event) => event.status)
    const made = attempts.filter((row) => placeOfPath(row.path) === path && !row.is_superseded).length
    const isCall = action.includes('/') && !uncounted.has(action)
    return [
      ...(status === (path === 'odd' ? 'failed' : 'succeeded') ? [] : [`${path} is ${status} in the end`]),
      ...(told.join() === status
        ? []
        : [`${path}: the log says ${told.join(', ')} of a step that is ${status}`]),
      ...(isCall && counted !== made && path !== 'shaky'
        ? [`${path}: ${counted} attempts, and ${made} in the journal`]
        : []),
    ]
  })
}

/** What the interpreter does itself is in no journal. */
const uncounted: ReadonlySet<string> = new Set(['core/wait', 'core/log', 'core/assert', 'core/run'])
