import type { Context } from '@temporalio/activity'
import { type CancellationSource, createCancellation } from '../../../core/cancellation.ts'
import type { Clock } from '../../attempt/clock.ts'
import { type AttemptOrder, type WaitNotice, waitSignal } from '../messages.ts'

/** Tells the workflow of an attempt while it waits for the rate budget or for its target. */
export interface WaitTeller {
  begins(wait: NonNullable<WaitNotice['wait']>): void
  ends(): void
}

/** Only waits that are long enough to matter are told. A notice that does not arrive keeps nothing from going on. */
export function createWaitTeller(
  { request, tellsWaitsFromMs }: Pick<AttemptOrder, 'request' | 'tellsWaitsFromMs'>,
  context: Pick<Context, 'client' | 'info'>,
  clock: Clock,
): WaitTeller {
  const { path, attempt } = request
  let soon: CancellationSource | undefined
  let isTold = false
  let line: Promise<unknown> = Promise.resolve()

  const tell = (wait?: WaitNotice['wait']): void => {
    isTold = wait !== undefined
    const notice: WaitNotice = { path, attempt, ...(wait === undefined ? {} : { wait }) }
    line = line.then(() => signal(context, notice)).catch(() => {})
  }
  const tellSoon = async (wait: NonNullable<WaitNotice['wait']>): Promise<void> => {
    const over = createCancellation()
    soon = over
    await clock.waitUntil(clock.now() + tellsWaitsFromMs, over)
    if (!over.reason) tell(wait)
  }
  const forget = (): void => soon?.cancel({ code: 'Cancelled', message: 'it waits no more' })
  return {
    begins(wait) {
      forget()
      const isLong = wait.until !== undefined && wait.until - clock.now() >= tellsWaitsFromMs
      if (isTold || isLong) tell(wait)
      else void tellSoon(wait)
    },
    ends() {
      forget()
      if (isTold) tell()
    },
  }
}

function signal({ client, info }: Pick<Context, 'client' | 'info'>, notice: WaitNotice): Promise<void> {
  const { workflowId = '' } = info.workflowExecution ?? {}
  return client.workflow.getHandle(workflowId).signal(waitSignal, notice)
}
