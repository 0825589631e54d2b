import { clockText, countdownText } from '../../terminal/duration-text.ts'
import { printableLine } from '../../terminal/printable.ts'
import type { Wait } from './step-view.ts'

const reasons: Readonly<Record<Wait['reason'], string>> = {
  retry: 'repeats',
  throttle: 'refused as too frequent: repeats',
  budget: 'waits for the rate budget of the account',
  target: 'waits for its turn on the target',
  poll: 'looks again',
  approval: 'waits for an answer',
  wait: 'waits',
  timeout: 'has time',
}

/** Whether this still keeps a call from going on. */
export function isWaiting(wait: Wait, now: number): boolean {
  return wait.until === undefined || wait.until > now
}

/** Such as `repeats in 4s, at 14:03:07, after overloaded: the agent is busy`. */
export function waitText(wait: Wait, now: number): string {
  const until =
    wait.until === undefined ? '' : ` in ${countdownText(wait.until - now)}, at ${clockText(wait.until)}`
  const goesOn =
    wait.reason === 'budget' || wait.reason === 'target' ? until.replace(' in ', ', goes on in ') : until
  const isNews = wait.after !== undefined && wait.reason === 'retry'
  const after = isNews ? `, after ${wait.after?.code}: ${printableLine(wait.after?.message ?? '')}` : ''
  return `${reasons[wait.reason]}${goesOn}${after}`
}
