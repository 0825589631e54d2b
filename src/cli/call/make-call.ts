import type { Client } from '../../api/index.ts'
import type { OperationMethod } from '../../api/operations/index.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { type ErrorData, errorData } from '../../core/run-error.ts'
import { type CommandContext, tell } from '../context.ts'
import { isWaiting, waitText } from '../run/follow/wait-text.ts'

/** One call to make. */
export interface CallRequest {
  readonly method: OperationMethod
  readonly input: JsonObject
  /** Where an export goes. */
  readonly file: string | undefined
  readonly context: CommandContext
}

/** What a call came to: outputs or an error, never neither. */
export interface CallOutcome {
  readonly outputs?: JsonValue
  readonly error?: ErrorData
  readonly requestIds: readonly string[]
  readonly warnings: readonly string[]
}

/** Shorter waits are no news. */
const shortestWaitMs = 1000

/** Makes the call, tells what it waits for, gives up on a signal. What the service says is never thrown. */
export async function makeCall(
  client: Client,
  { method, input, file, context }: CallRequest,
): Promise<CallOutcome> {
  const stop = new AbortController()
  const forgetSignals = context.io.onStopSignal(() => stop.abort())
  const onWait = ({
    reason,
    untilMs: until,
  }: {
    reason: 'budget' | 'throttle' | 'target' | 'retry'
    untilMs?: number
  }): void => {
    const now = Date.now()
    const wait = { reason, ...(until === undefined ? {} : { until }) }
    if (isWaiting(wait, now + shortestWaitMs)) tell(context, context.errorPaint.dim(waitText(wait, now)))
  }
  try {
    // Checked against the schema of this very method before; the client checks it again.
    const perform = client[method] as unknown as (
      input: JsonObject,
      options: object,
    ) => Promise<{ data: JsonValue; requestIds: readonly string[]; warnings: readonly string[] }>
    const options = { signal: stop.signal, onWait, ...(file === undefined ? {} : { file }) }
    const { data, requestIds, warnings } = await perform(input, options)
    return { outputs: data, requestIds, warnings }
  } catch (thrown) {
    const error = errorData(thrown)
    if (error.code === 'InternalDefect') throw thrown
    return { error, requestIds: error.requestId === undefined ? [] : [error.requestId], warnings: [] }
  } finally {
    forgetSignals()
  }
}
