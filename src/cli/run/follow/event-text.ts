import { type Identity, isForPerson, type TimedRunEvent, type WaitReason } from '../../../core/events.ts'
import { answeredWord, answererText, identityText, saidText } from '../../../core/people/index.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import type { ItemNames, RunTree, Wait } from '../../../view/run/index.ts'
import {
  clockText,
  countdownText,
  countText,
  durationText,
  failedItemsText,
  momentText,
} from '../../shared/terminal/quantity-text.ts'

/** An event as one line of raw text, once the view has taken it; undefined for events without a line. */
export function eventText(event: TimedRunEvent, state: RunTree): string | undefined {
  const at = (path: string): string => state.items.label(path)
  switch (event.type) {
    case 'run_started':
      if (state.isCancelled)
        return `run ${event.run_id} of ${event.runbook} is being cancelled: only its clean-up runs`
      return `run ${event.run_id} of ${event.runbook} ${state.begins > 1 ? 'resumed' : 'started'}, ${countText(event.steps.length, 'step')}`
    case 'run_finished':
      return `run ${event.status}${event.error === undefined ? '' : `: ${failedText(event.error, '', state.items)}`}`
    case 'run_cancelling':
      return `${event.is_now ? 'cancelled without clean-up,' : 'cancelled'} by ${byText(event)}`
    case 'run_paused':
      return `paused by ${byText(event)}: no new calls until "opsbook unpause ${event.run_id}"`
    case 'run_unpaused':
      return `unpaused by ${byText(event)}`
    case 'step_started':
      return `${at(event.path)}: started (${event.action})`
    case 'items_counted':
      return event.is_limit
        ? `${at(event.path)}: at most ${countText(event.total, 'turn')}`
        : `${at(event.path)}: ${countText(event.total, 'item')}`
    case 'groups_counted':
      return event.groups > 1
        ? `${at(event.path)}: ${event.items} items in ${event.groups} groups`
        : undefined
    case 'attempt_failed':
      return attemptText(event, state)
    case 'logged':
      return `${at(event.path)}: ${event.level === 'info' ? '' : `${event.level}: `}${event.message}`
    case 'waiting':
      if (isForPerson(event.reason) && state.approvesAll)
        return `${at(event.path)}: asks: ${event.message ?? ''}`
      return `${at(event.path)}: ${waitText(event, Date.parse(event.at))}`
    case 'answered': {
      const count = event.count === undefined || !event.approved ? '' : ` ${event.count} of ${event.needed}`
      const said = saidText(event)
      return `${at(event.path)}: ${answeredWord(event)}${count} by ${answererText(event.by)}${said === undefined ? '' : `: ${said}`}`
    }
    case 'step_finished':
      return finishText(event, state)
    default:
      return undefined
  }
}

/** Who did something, and why. Raw text. */
export function byText({ by, comment }: { readonly by: Identity; readonly comment?: string }): string {
  return `${identityText(by)}${comment === undefined ? '' : `: ${comment}`}`
}

function attemptText(
  { path, attempt, error, is_repeated }: TimedRunEvent & { type: 'attempt_failed' },
  { items }: RunTree,
): string {
  const next = is_repeated ? 'will be retried' : 'not retried'
  return `${items.label(path)}: attempt ${attempt} failed, ${next}: ${error.code}: ${error.message}`
}

function finishText(event: TimedRunEvent & { type: 'step_finished' }, state: RunTree): string {
  const { path, status, error, caught } = event
  const label = state.items.label(path)
  if (status === 'skipped') {
    return `${label}: skipped${event.condition === undefined ? '' : `, condition: ${event.condition}`}`
  }
  const step = state.stepOf(path)
  const startedAt = step?.path === path ? step.startedAt : undefined
  const time = startedAt === undefined ? '' : ` after ${durationText(Date.parse(event.at) - startedAt)}`
  const own = step?.path === path ? step.attempts : event.attempts
  const attempts = own > 1 ? `, ${countText(own, 'call')}` : ''
  const warning = event.is_warning ? ', the run continues' : ''
  const failed = event.failed_items ? `, ${failedItemsText(event.failed_items)}` : ''
  const why =
    error !== undefined
      ? `: ${failedText(error, path, state.items)}`
      : caught === undefined
        ? ''
        : `, caught ${failedText(caught, path, state.items)}`
  const branch = event.branch === undefined ? '' : `, branch ${event.branch}`
  return `${label}: ${status}${time}${branch}${attempts}${failed}${warning}${why}`
}

/** A failure with its path inside a step, such as `checks: AccessDenied: no permission`. Raw text. */
export function failedText(
  { code, message, path = '' }: Pick<ErrorData, 'code' | 'message' | 'path'>,
  outer: string,
  items: ItemNames,
): string {
  const within = items.label(path, outer)
  return `${within === '' ? '' : `${within}: `}${code}: ${message}`
}

/** The text of each wait, and how the remaining time is joined to it; `until`: the end comes first. */
const reasons: Readonly<Record<WaitReason, { readonly text: string; readonly joint: string | 'until' }>> = {
  retry: { text: 'retries', joint: ' in ' },
  throttle: { text: 'refused as too frequent: retries', joint: ' in ' },
  budget: { text: 'waits for the rate limit of the account', joint: ', ready in ' },
  target: { text: 'waits for the target', joint: ', ready in ' },
  poll: { text: 'condition not met yet: checks again', joint: ' in ' },
  approval: { text: 'awaiting approval', joint: 'until' },
  answer: { text: 'awaiting an answer', joint: 'until' },
  wait: { text: 'waits', joint: ', continues in ' },
  event: { text: 'waits for an event', joint: 'until' },
  pause: { text: 'the run is paused', joint: 'until' },
  timeout: { text: 'waits', joint: 'until' },
}

const dayMs = 86_400_000

/** Such as `retries in 4s, at 14:03:07, after overloaded: the agent is busy`. Raw text: make it printable. */
export function waitText(wait: Omit<Wait, 'since'>, now: number): string {
  const { text: why, joint } = reasons[wait.reason]
  const text = wait.counted === undefined ? why : `${why}, ${wait.counted} given,`
  const until = wait.until === undefined ? '' : untilText(joint, wait.until, now)
  if (wait.reason === 'event' && wait.message !== undefined) return `${text} of ${wait.message}${until}`
  const question = wait.message === undefined ? '' : `: ${wait.message}`
  const isNews = wait.after !== undefined && wait.reason === 'retry'
  const after = isNews ? `, after ${wait.after?.code}: ${wait.after?.message}` : ''
  return text + until + question + after
}

/** ` in 4s, at 14:03:07`, or ` until 14:03:07 (4s left)`. From 12 hours on, with the day. */
function untilText(joint: string, until: number, now: number): string {
  const left = countdownText(until - now)
  const isNear = until - now < dayMs / 2
  const end = isNear ? clockText(until) : momentText(until)
  return joint === 'until'
    ? ` until ${end} (${left} left)`
    : `${joint}${left}, ${isNear ? 'at' : 'on'} ${end}`
}
