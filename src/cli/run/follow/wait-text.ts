import type { WaitReason } from '../../../core/events.ts'
import { clockText, countdownText, momentText } from '../../terminal/duration-text.ts'
import type { Wait } from './step-view.ts'

/** What is said of a wait, and how the time of its end is joined to it. */
const reasons: Readonly<Record<WaitReason, { readonly text: string; readonly joint: string }>> = {
  retry: { text: 'repeats', joint: ' in ' },
  throttle: { text: 'refused as too frequent: repeats', joint: ' in ' },
  budget: { text: 'waits for the rate budget of the account', joint: ', goes on in ' },
  target: { text: 'waits for its turn on the target', joint: ', goes on in ' },
  poll: { text: 'not there yet: asks again', joint: ' in ' },
  approval: { text: 'waits for a person', joint: ', at most ' },
  wait: { text: 'waits', joint: ', goes on in ' },
  pause: { text: 'the run is paused', joint: ', until ' },
  timeout: { text: 'waits', joint: ' at most ' },
}

const dayMs = 86_400_000

/** Whether this still keeps a call from going on. A person may still be about to answer when the time is over. */
export function isWaiting({ until, reason }: Wait, now: number): boolean {
  return until === undefined || reason === 'approval' || until > now
}

/** Such as `repeats in 4s, at 14:03:07, after overloaded: the agent is busy`. Raw text: make it printable. */
export function waitText(wait: Wait, now: number): string {
  const { text, joint } = reasons[wait.reason]
  const until =
    wait.until === undefined ? '' : `${joint}${countdownText(wait.until - now)}, ${endText(wait.until, now)}`
  const question = wait.message === undefined ? '' : `: ${wait.message}`
  const isNews = wait.after !== undefined && wait.reason === 'retry'
  const after = isNews ? `, after ${wait.after?.code}: ${wait.after?.message}` : ''
  return text + until + question + after
}

/** `at 14:03:07`; a moment that is not near with its day. */
function endText(until: number, now: number): string {
  return until - now < dayMs / 2 ? `at ${clockText(until)}` : `on ${momentText(until)}`
}
