/** The messages of notifications. Like all messages, they hold no secret. */

import type { Notice, NoticeDraft } from '../notices/index.ts'

/** Name of the workflow type of a notification: a separate workflow, so that no run waits for its delivery. */
export const noticeType = 'opsbookNotice'

/** What {@link noticeType} is started with. */
export interface NoticeOrder {
  readonly notice: Notice
  /** Values that no message may show. */
  readonly sensitive: readonly string[]
  /** Task queue of the workers that have the notification targets. */
  readonly actionQueue: string
}

/** Name of the activity that makes messages of a notice. */
export const composeNoticeActivity = 'opsbook/compose-notice'

/** The result of {@link composeNoticeActivity}. */
export type NoticeDrafts = readonly NoticeDraft[]

/** Name of the activity that delivers one message. Its failures hold a {@link NoticeFailure}. */
export const deliverNoticeActivity = 'opsbook/deliver-notice'

/** The details of the failure of a message that was not delivered. */
export interface NoticeFailure {
  readonly target: string
  readonly reason: string
}
