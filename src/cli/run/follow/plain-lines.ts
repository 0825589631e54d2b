import type { TimedRunEvent } from '../../../core/events.ts'
import { countText } from '../../terminal/count-text.ts'
import { clockText, durationText } from '../../terminal/duration-text.ts'
import type { Mask } from '../../terminal/mask.ts'
import { printableLine } from '../../terminal/printable.ts'
import type { Follower } from './follower.ts'
import type { RunState } from './run-state.ts'
import { waitText } from './wait-text.ts'

/** Shorter waits are no news. */
const shortestWaitMs = 2000
/** A loop or batch tells how far it is at most this often. */
const progressEveryMs = 10_000

/** One line for each event that matters, with its time: for pipes, files and the logs of other tools. */
export function createPlainLines(state: RunState, write: (text: string) => void, mask: Mask): Follower {
  const toldAt = new Map<string, number>()
  const line = (at: number, text: string): void =>
    write(`${clockText(at)} ${mask.text(printableLine(text))}\n`)

  const progress = (path: string, at: number): string | undefined => {
    const step = state.stepOf(path)
    const since = at - (toldAt.get(step?.path ?? '') ?? step?.startedAt ?? at)
    if (!step?.progress || since < progressEveryMs) return undefined
    toldAt.set(step.path, at)
    const { done, total, unit, failed } = step.progress
    return `${step.path}: ${done} of ${total} ${unit}${failed === 0 ? '' : `, ${failed} failed`}`
  }
  return {
    take(event) {
      const at = Date.parse(event.at)
      const isProgress = event.type === 'item_finished' || event.type === 'attempt_succeeded'
      const text = isProgress ? progress(event.path, at) : textOf(event, at, state)
      if (text !== undefined) line(at, text)
    },
    say: (text) => line(Date.now(), text),
    end() {},
  }
}

function textOf(event: TimedRunEvent, at: number, state: RunState): string | undefined {
  switch (event.type) {
    case 'run_started':
      return `run ${event.run_id} of ${event.runbook} started, ${countText(event.steps.length, 'step')}`
    case 'step_started':
      return `${event.path}: started (${event.action})`
    case 'items_counted':
      return `${event.path}: ${countText(event.total, 'item')}`
    case 'groups_counted':
      return event.groups > 1 ? `${event.path}: ${event.items} items in ${event.groups} groups` : undefined
    case 'attempt_failed':
      return attemptText(event)
    case 'logged':
      return event.level === 'debug' ? undefined : `${event.path}: ${event.message}`
    case 'waiting': {
      const isShort = event.until === undefined || event.until - at < shortestWaitMs
      return isShort && event.reason !== 'target' ? undefined : `${event.path}: ${waitText(event, at)}`
    }
    case 'step_finished':
      return finishText(event, at, state)
    default:
      return undefined
  }
}

function attemptText(event: TimedRunEvent & { type: 'attempt_failed' }): string {
  const { path, attempt, error } = event
  const next = event.is_repeated ? 'will be repeated' : 'not repeated'
  return `${path}: attempt ${attempt} failed, ${next}: ${error.code}: ${error.message}`
}

function finishText(event: TimedRunEvent & { type: 'step_finished' }, at: number, state: RunState): string {
  const startedAt = state.stepOf(event.path)?.startedAt
  if (event.status === 'skipped') {
    return `${event.path}: skipped${event.condition === undefined ? '' : `, condition: ${event.condition}`}`
  }
  const time = startedAt === undefined ? '' : ` after ${durationText(at - startedAt)}`
  const attempts = event.attempts > 1 ? `, ${event.attempts} attempts` : ''
  const error = event.error === undefined ? '' : `: ${event.error.code}: ${event.error.message}`
  return `${event.path}: ${event.status}${time}${attempts}${error}`
}
