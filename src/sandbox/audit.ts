import type { Call, Runtime } from './call.ts'
import type { JsonObject } from './json.ts'

/** Records a call that changed something. */
export function recordChange(
  { caller, requestId }: Call<unknown>,
  runtime: Runtime,
  operation: string,
  detail: JsonObject,
): void {
  runtime.world.addAudit({
    at: Math.floor(runtime.clock.now()),
    account_id: caller.accountId,
    user_id: caller.userId,
    key: caller.key,
    operation,
    request_id: requestId,
    detail,
  })
}
