import type { VNode } from 'preact'
import type { WaitReason } from '../../../core/events.ts'
import type { LoopFacts, NodeWait } from '../../../view/run/index.ts'
import { Moment } from './moment.tsx'

const words: Readonly<Record<WaitReason, string>> = {
  retry: 'retries after a failure',
  throttle: 'was refused as too frequent, retries',
  budget: 'waits for the rate limit',
  target: 'waits for its turn on the target',
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
  const { reason, until, message, counted, after } = wait
  return (
    <span class="why">
      {words[reason]}
      {until === undefined ? null : (
        <>
          , until <Moment at={until} />
        </>
      )}
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

const limits: Partial<Readonly<Record<NonNullable<LoopFacts['limited_by']>, string>>> = {
  'max-parallel': 'max-parallel',
  budget: 'the rate limit of the account',
  throttle: 'refusals as too frequent',
  target: 'calls to one target at a time',
  retry: 'retries',
  approval: 'approvals',
  answer: 'answers',
  event: 'events',
  pause: 'a pause',
}

/** What holds a loop up, as a noun. */
export function limitWord(reason: NonNullable<LoopFacts['limited_by']>): string {
  return limits[reason] ?? 'waits'
}
