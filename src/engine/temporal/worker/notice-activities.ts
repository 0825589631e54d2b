import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { Notice, NoticeDraft } from '../../record/notice.ts'
import { whyUnreadable } from '../codec/unreadable.ts'
import {
  composeNoticeActivity,
  deliverNoticeActivity,
  type NoticeDrafts,
  type NoticeFailure,
  type NoticeOrder,
} from '../messages.ts'

/** Whom the runs of a queue tell that they need people, and how. All workers of the queue know the same. */
export interface NoticePort {
  /** The messages for a notice. `sensitive`: values that must not be seen in them. */
  compose(notice: Notice, sensitive: readonly string[]): readonly NoticeDraft[]
  /** Makes one try. `tries`: how many it is, with this one. Never rejects. */
  send(draft: NoticeDraft, tries: number, signal: AbortSignal): Promise<NoticeTry>
}

/** What a try came to. */
export type NoticeTry =
  | { readonly isDelivered: true }
  /** No part of the address is in the reason. `againInMs`: when the next try is due, in milliseconds. */
  | { readonly isDelivered: false; readonly reason: string; readonly againInMs: number }

/** The activities that tell people. A worker that knows nobody takes what is to be told to be told. */
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
  return { isDelivered: false, reason: 'its worker knows of nobody to tell', againInMs: minuteMs }
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
