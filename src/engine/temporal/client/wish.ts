import type { WorkflowHandle } from '@temporalio/client'
import type { WishRecord } from '../../../core/record/run-history.ts'
import { wishUpdate } from '../messages.ts'

type Wish = Pick<WishRecord, 'kind' | 'by' | 'comment'>

/** Tells a run what somebody wants of it. A cancellation goes to the server, too, so that its pages call it so. */
export async function wishOf(handle: WorkflowHandle, wish: Wish): Promise<void> {
  await handle.executeUpdate<void, [Wish]>(wishUpdate, { args: [wish] })
  if (wish.kind === 'cancel' || wish.kind === 'cancel-now') await handle.cancel()
}
