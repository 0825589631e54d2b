import type { TimedRunEvent } from '../../../core/events.ts'
import { type Identity, identityText } from '../../../core/record/identity.ts'
import { countText } from '../../terminal/count-text.ts'
import { durationText } from '../../terminal/duration-text.ts'
import { failureText } from './failure-text.ts'
import type { RunState } from './run-state.ts'
import { waitText } from './wait-text.ts'

/** What an event says, in one line of raw text, once the state has taken it; undefined for what people need no line for. */
export function eventText(event: TimedRunEvent, state: RunState): string | undefined {
  const at = (path: string): string => state.items.label(path)
  switch (event.type) {
    case 'run_started':
      return `run ${event.run_id} of ${event.runbook} ${state.begins > 1 ? 'goes on' : 'started'}, ${countText(event.steps.length, 'step')}`
    case 'run_finished':
      return `run ${event.status}${event.error === undefined ? '' : `: ${failureText(event.error, '', state.items)}`}`
    case 'run_cancelling':
      return `${event.is_now ? 'cancelled at once, without clean-up,' : 'cancelled'} by ${byText(event)}`
    case 'run_paused':
      return `paused by ${byText(event)}: nothing new is called until "opsbook unpause ${event.run_id}"`
    case 'run_unpaused':
      return `unpaused by ${byText(event)}`
    case 'step_started':
      return `${at(event.path)}: started (${event.action})`
    case 'items_counted':
      return `${at(event.path)}: ${countText(event.total, 'item')}`
    case 'groups_counted':
      return event.groups > 1
        ? `${at(event.path)}: ${event.items} items in ${event.groups} groups`
        : undefined
    case 'attempt_failed':
      return attemptText(event, state)
    case 'logged':
      return `${at(event.path)}: ${event.level === 'info' ? '' : `${event.level}: `}${event.message}`
    case 'waiting':
      if (event.reason === 'approval' && state.approvesAll)
        return `${at(event.path)}: asks: ${event.message ?? ''}`
      return `${at(event.path)}: ${waitText(event, Date.parse(event.at))}`
    case 'answered': {
      return `${at(event.path)}: ${event.approved ? 'approved' : 'rejected'} by ${byText(event)}`
    }
    case 'step_finished':
      return finishText(event, state)
    default:
      return undefined
  }
}

function byText({ by, comment }: { readonly by: Identity; readonly comment?: string }): string {
  return `${identityText(by)}${comment === undefined ? '' : `: ${comment}`}`
}

function attemptText(
  { path, attempt, error, is_repeated }: TimedRunEvent & { type: 'attempt_failed' },
  { items }: RunState,
): string {
  const next = is_repeated ? 'will be repeated' : 'not repeated'
  return `${items.label(path)}: attempt ${attempt} failed, ${next}: ${error.code}: ${error.message}`
}

function finishText(event: TimedRunEvent & { type: 'step_finished' }, state: RunState): string {
  const { path, status, error, caught } = event
  const place = state.items.label(path)
  if (status === 'skipped') {
    return `${place}: skipped${event.condition === undefined ? '' : `, condition: ${event.condition}`}`
  }
  const step = state.stepOf(path)
  const startedAt = step?.path === path ? step.startedAt : undefined
  const time = startedAt === undefined ? '' : ` after ${durationText(Date.parse(event.at) - startedAt)}`
  const own = step?.path === path ? step.attempts : event.attempts
  const attempts = own > 1 ? `, ${countText(own, 'call')}` : ''
  const goesOn = event.is_warning ? ', the run goes on' : ''
  const why =
    error !== undefined
      ? `: ${failureText(error, path, state.items)}`
      : caught === undefined
        ? ''
        : `, caught ${failureText(caught, path, state.items)}`
  return `${place}: ${status}${time}${attempts}${goesOn}${why}`
}
