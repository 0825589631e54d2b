import type { RunEvent } from '../../core/events.ts'
import type { PlayedRun } from '../host/play-run.ts'
import { shown } from '../play/match.ts'
import { type Fault, faultText } from './faults.ts'

const mostLines = 14

/** What happened from the fault on, one line for each call that failed or followed, and each step that failed. */
export function storyOf(fault: Fault, processes: readonly PlayedRun[]): readonly string[] {
  const [first, second] = processes
  const events = first?.host.events ?? []
  const begin = fault.kind === 'cancelled' ? fault.question : fault.call
  const start = events.findIndex((event) => nameOf(event) === begin)
  const lines = events.slice(Math.max(start, 0)).flatMap(line)
  const after = second ? ['the run is resumed', ...second.host.events.flatMap(line)] : []
  const all = [faultText(fault), ...lines, ...after]
  return all.length <= mostLines
    ? all
    : [...all.slice(0, mostLines - 1), `… ${all.length - mostLines + 1} more`]
}

function nameOf(event: RunEvent): string {
  if (event.type === 'attempt_started') return `${event.path}#${event.attempt}`
  return event.type === 'waiting' ? event.path : ''
}

function line(event: RunEvent): readonly string[] {
  switch (event.type) {
    case 'attempt_started':
      return [`${event.path}#${event.attempt} is sent`]
    case 'attempt_failed':
      return [
        `${event.path}#${event.attempt} fails: ${event.error.code}${event.is_repeated ? ', and is repeated' : ''}`,
      ]
    case 'step_finished':
      return event.status === 'failed' || event.status === 'unknown'
        ? [`step ${event.path} ends as ${event.status}: ${event.error?.code ?? ''}`]
        : []
    case 'run_finished':
      return [
        `the run ends as ${event.status}${event.error ? `: ${event.error.code}, ${shown(event.error.message)}` : ''}`,
      ]
    default:
      return []
  }
}
