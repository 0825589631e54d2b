import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '@temporalio/client'

const lookAgainMs = 50
const answerMs = 2_000
/** By itself a connection that was refused waits for a second before it tries again. */
const channelArgs = { 'grpc.initial_reconnect_backoff_ms': lookAgainMs }

/** Waits until a server answers and has the namespace. Returns why it does not, when the time is up or it has ended. */
export async function waitUntilReady(
  address: string,
  namespace: string,
  patienceMs: number,
  ended: AbortSignal,
): Promise<string | undefined> {
  const deadline = Date.now() + patienceMs
  const connection = Connection.lazy({ address, channelArgs })
  const ask = (): Promise<unknown> => connection.workflowService.describeNamespace({ namespace })
  const end = once(ended, 'abort').then(() => 'it has ended')
  try {
    for (;;) {
      const answer = connection.withDeadline(Date.now() + answerMs, ask).then(
        () => undefined,
        (error: Error) => error.message,
      )
      const failure = await Promise.race([answer, end])
      if (failure === undefined || ended.aborted || Date.now() > deadline) return failure
      await sleep(lookAgainMs)
    }
  } finally {
    await connection.close()
  }
}
