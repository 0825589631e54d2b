import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { Notice, NoticeDraft } from '../../notices/index.ts'
import { whyUnreadable } from '../codec/unreadable.ts'
import {
  composeNoticeActivity,
  deliverNoticeActivity,
  type NoticeDrafts,
  type NoticeFailure,
  type NoticeOrder,
} from '../notice-messages.ts'

/** Sends the notifications of the runs of a queue. All workers of the queue have the same targets. */
export interface NoticePort {
  /** The messages for a notice. `sensitive`: values that no message may show. */
  compose(notice: Notice, sensitive: readonly string[]): readonly NoticeDraft[]
  /** Makes one try; `tries` counts them from 1. Never rejects. */
  send(draft: NoticeDraft, tries: number, signal: AbortSignal): Promise<NoticeTry>
}

/** The result of a try. */
export type NoticeTry =
  | { readonly isDelivered: true }
  /** No part of the address is in the reason. `againInMs`: when the next try is due, in milliseconds. */
  | { readonly isDelivered: false; readonly reason: string; readonly againInMs: number }

/** The activities of notifications. Without configured targets, the worker treats notifications as delivered. */
export function createNoticeActivities(
  port: NoticePort = { compose: () => [], send: noTarget },
): Record<string, (order: never) => Promise<unknown>> {
  return {
    async [composeNoticeActivity]({ notice, sensitive }: NoticeOrder): Promise<NoticeDrafts> {
      return port.compose(notice, sensitive)
    },
    async [deliverNoticeActivity](draft: NoticeDraft): Promise<void> {
      const { cancellationSignal, info } = Context.current()
      const unreadable = whyUnreadable(draft)
      if (unreadable !== undefined) throw failed({ target: '', reason: unreadable }, secondMs)
      const made = await port.send(draft, info.attempt, cancellationSignal)
      if (!made.isDelivered) throw failed({ target: draft.target, reason: made.reason }, made.againInMs)
    },
  }
}

const secondMs = 1000
const minuteMs = 60_000

async function noTarget(): Promise<NoticeTry> {
  return { isDelivered: false, reason: 'its worker has no notification target', againInMs: minuteMs }
}

function failed(failure: NoticeFailure, againInMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'NoticeNotDelivered',
    message: `${failure.target}: ${failure.reason}`,
    details: [failure],
    nextRetryDelay: Math.max(againInMs, secondMs),
    category: 'BENIGN',
  })
}
