import type { VNode } from 'preact'
import type { WaitReason } from '../../../core/events.ts'
import type { LoopFacts, NodeWait } from '../../../view/run/index.ts'
import { TimeLeft, useIsLater } from './moment.tsx'
import { figure } from './numbers.ts'

/** The words of each reason to wait. */
export const waitWords: Readonly<Record<WaitReason, string>> = {
  retry: 'retries after a failure',
  throttle: 'was refused as too frequent, retries',
  budget: 'waits for the rate limit',
  target: 'waits for the target',
  poll: 'looks again',
  approval: 'awaits approval',
  answer: 'awaits an answer',
  wait: 'waits',
  event: 'waits for an event',
  pause: 'is paused',
  timeout: 'waits',
}

/** What a call waits for, and until when. */
export function WaitLine({ wait }: { readonly wait: NodeWait }): VNode {
  const { message, counted, after } = wait
  return (
    <span class="why">
      <WaitWords {...wait} />
      {counted === undefined ? '' : `, ${counted}`}
      {message === undefined ? '' : `: ${message}`}
      {after === undefined ? null : (
        <>
          {' '}
          after <span class="code">{after.code}</span> {after.message}
        </>
      )}
    </span>
  )
}

/** Such as `awaits approval, 1h 58m left`. */
export function WaitWords(wait: Pick<NodeWait, 'reason' | 'until'>): VNode {
  const until = useIsLater(wait.until) ? wait.until : undefined
  return (
    <>
      {waitWords[wait.reason]}
      {until === undefined ? null : (
        <>
          , <TimeLeft until={until} />
        </>
      )}
    </>
  )
}

const limits: Partial<Readonly<Record<NonNullable<LoopFacts['limited_by']>, string>>> = {
  budget: 'the rate limit of the account',
  throttle: 'refusals as too frequent',
  target: 'calls to one target at a time',
  retry: 'retries',
  approval: 'approvals',
  answer: 'answers',
  event: 'events',
  pause: 'a pause',
}

/** What holds a loop up, as a noun: `600 calls a minute, the rate limit of monit/tools/invoke`. */
export function limitedByText({ limited_by, limit, in_flight }: LoopFacts): string | undefined {
  if (limited_by === undefined) return undefined
  if (limit !== undefined)
    return `${figure(limit.calls)} calls a ${limit.per}, the rate limit of ${limit.action}`
  if (limited_by === 'max-parallel') return `max-parallel, ${figure(in_flight)} at a time`
  return limits[limited_by] ?? 'waits'
}
