import { scheduleActivity } from '@temporalio/workflow'
import {
  composeNoticeActivity,
  deliverNoticeActivity,
  type NoticeDrafts,
  type NoticeOrder,
} from '../messages.ts'
import { followDeployments } from './follow-deployments.ts'
import { refuseUnreadable } from './refuse-unreadable.ts'

/** What is to be done for so long in vain is given up. */
const givenUpAfter = '1 day'
/** Longer than a try takes: who has not said how it went is gone. */
const longestTry = '30 seconds'

/**
 * Tells people one thing of a run: its workers say to whom, and deliver it until it has arrived. A day later it fails.
 * Here the repeats are those of the server: nobody asks for them one by one, and they leave nothing in the history.
 */
export async function opsbookNotice(order: NoticeOrder): Promise<void> {
  refuseUnreadable(order)
  const options = {
    taskQueue: order.actionQueue,
    startToCloseTimeout: longestTry,
    scheduleToCloseTimeout: givenUpAfter,
    retry: { initialInterval: '5 seconds', backoffCoefficient: 3, maximumInterval: '1 hour' },
  } as const
  const drafts = await scheduleActivity<NoticeDrafts>(composeNoticeActivity, [order], options)
  refuseUnreadable(drafts)
  const settled = await Promise.allSettled(
    drafts.map((draft) =>
      scheduleActivity(deliverNoticeActivity, [draft], { ...options, summary: draft.target }),
    ),
  )
  for (const result of settled) if (result.status === 'rejected') throw result.reason
}

followDeployments(opsbookNotice)
