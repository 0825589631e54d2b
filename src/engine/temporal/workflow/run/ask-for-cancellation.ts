import { CancellationScope, condition, scheduleLocalActivity } from '@temporalio/workflow'
import { cancelRunActivity } from '../../messages.ts'

const maxWait = '10 seconds'

/**
 * Has the server asked to cancel this execution, so that it lists the run as cancelled. A workflow cannot ask for that,
 * but its worker can. Never rejects: the listed status must not harm the run.
 */
export async function askForCancellation(scope: CancellationScope): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    await scheduleLocalActivity(cancelRunActivity, [], { scheduleToCloseTimeout: maxWait })
    await condition(() => scope.consideredCancelled, maxWait)
  }).catch(() => {})
}
