import { Context } from '@temporalio/activity'
import { findHolder } from '../client/find-holder.ts'
import { type ConcurrencyOrder, type Holder, lockIdsIn } from '../concurrency/messages.ts'

/** Looks for the run that has a concurrency key: a workflow cannot. */
export function holderOf(order: ConcurrencyOrder): Promise<Holder | undefined> {
  const { client, info } = Context.current()
  return findHolder({ client, taskQueue: info.taskQueue }, lockIdsIn(order))
}
