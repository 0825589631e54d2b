import { CancellationScope, ParentClosePolicy, startChild, uuid4, workflowInfo } from '@temporalio/workflow'
import { type NoticeOrder, noticeType } from '../messages.ts'

/**
 * Has people told of something, by a workflow of its own that is delivered whatever becomes of this one; `of` says of what.
 * Resolves when the server knows of it. That nobody can be told must not be able to hurt whoever tells: never rejects.
 */
export async function handOverNotice(of: string, order: NoticeOrder): Promise<void> {
  await CancellationScope.nonCancellable(() =>
    startChild(noticeType, {
      args: [order],
      workflowId: `${of}/notices/${uuid4()}`,
      taskQueue: workflowInfo().taskQueue,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `${order.notice.kind} of ${of}`,
    }),
  ).catch(() => {})
}
