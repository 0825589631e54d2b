import type { Call } from '../call.ts'
import { findHost, type Host } from '../hosts.ts'
import type { Json, JsonObject } from '../json.ts'
import { type Refused, refuseField } from '../outcome.ts'

/** What E4 and the catalog ask for alike. */
interface TargetBody {
  readonly target_locator: string
  readonly target_kind?: string
  readonly account_id?: number
}

/** A host to work on, or the request-level error that goes into `data.error`. */
export type FoundTarget =
  | { readonly host: Host; readonly target: JsonObject }
  | { readonly error: JsonObject; readonly target: JsonObject }

/** The rules on the target that the schema cannot say. */
export function checkTarget({ body, caller }: Call<TargetBody>): Refused | undefined {
  if (Buffer.byteLength(body.target_locator) > 256) {
    return refuseField('target_locator', 'must have at most 256 bytes', '最多 256 字节')
  }
  if (body.account_id && body.account_id !== caller.accountId) {
    return refuseField('account_id', 'is not the account of the key', '与密钥所属账户不一致')
  }
  return undefined
}

export function findTarget({ body, caller }: Call<TargetBody>): FoundTarget {
  const locator = body.target_locator
  const host = findHost(caller.accountId, locator)
  const fail = (code: string, message: string, more: JsonObject = {}): FoundTarget => ({
    target: { kind: body.target_kind ?? '', locator },
    error: { code, message, ...more },
  })
  if (host === undefined) return fail('target_unavailable', `no agent is connected for ${locator}`)
  if (body.target_kind === undefined && host.kinds.length > 1) {
    const kinds: readonly Json[] = host.kinds
    return fail('ambiguous_target_kind', `${locator} is ${host.kinds.join(' and ')}; say target_kind`, {
      target_kinds: kinds,
    })
  }
  const kind = body.target_kind ?? host.kinds[0] ?? ''
  if (!host.kinds.includes(kind)) {
    return fail('target_unavailable', `no agent is connected for ${locator} as ${kind}`)
  }
  if (host.behaviour === 'unavailable')
    return fail('target_unavailable', `the agent of ${locator} is offline`)
  if (host.behaviour === 'cut-off') return fail('forward_failed', `the edge before ${locator} did not answer`)
  return { host, target: { kind, locator } }
}
