import { type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client'
import type { Wish } from '../../../core/record/wish.ts'
import { wishUpdate } from '../messages.ts'

/** Tells a run what somebody wants of it. A cancellation goes to the server, too, so that its pages call it so. */
export async function tellWish(handle: WorkflowHandle, wish: Wish): Promise<void> {
  await handle.executeUpdate<void, [Wish]>(wishUpdate, { args: [wish] })
  if (wish.kind !== 'cancel' && wish.kind !== 'cancel-now') return
  await handle.cancel().catch((thrown: unknown) => {
    // It has ended meanwhile, of the first word already.
    if (!(thrown instanceof WorkflowNotFoundError)) throw thrown
  })
}
