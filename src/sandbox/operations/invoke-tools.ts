import type { InvokeToolsInput, ListToolsInput } from '../../api/operations/index.ts'
import type { ReceivedCall, Runtime } from '../call.ts'
import { findHost, type SandboxHost } from '../hosts.ts'
import type { Json, JsonObject } from '../json.ts'
import { type HandledOutcome, type Refused, refuseField } from '../outcome.ts'
import { toolsFor } from '../tools/index.ts'
import { runTool } from '../tools/run-tool.ts'

/** E4: a failure of the request is in `data.error`, one of a tool in its result; both are a 200. */
export async function invokeTools(
  call: ReceivedCall<InvokeToolsInput>,
  runtime: Runtime,
): Promise<HandledOutcome> {
  const refused = checkTarget(call)
  if (refused) return refused
  const found = findTarget(call)
  if ('error' in found) return fail(found.target, found.error)
  if (found.host.behaviour === 'stale') {
    return fail(found.target, {
      code: 'unknown_toolset_hash',
      message: `${found.host.locator} reports a set of tools that the service does not know`,
    })
  }
  const results = await runAll(call, found.host, String(found.target['kind']), runtime)
  return { kind: 'data', data: { target: found.target, results, error: null } }
}

function fail(target: JsonObject, error: JsonObject): HandledOutcome {
  return { kind: 'data', data: { target, results: [], error } }
}

async function runAll(
  { body }: ReceivedCall<InvokeToolsInput>,
  host: SandboxHost,
  kind: string,
  runtime: Runtime,
): Promise<readonly JsonObject[]> {
  const isBusy = runtime.busyHosts.has(host.locator)
  if (host.behaviour === 'busy' && !isBusy) runtime.busyHosts.add(host.locator)
  try {
    return await Promise.all(
      body.tools.map(({ tool, params = {} }) => runTool({ tool, params, host, kind, isBusy }, runtime)),
    )
  } finally {
    if (!isBusy) runtime.busyHosts.delete(host.locator)
  }
}

/** The catalog of E4's tools for one target. */
export function listTools(call: ReceivedCall<ListToolsInput>): HandledOutcome {
  const refused = checkTarget(call)
  if (refused) return refused
  const found = findTarget(call)
  if ('error' in found) return { kind: 'data', data: { target: found.target, tools: [], error: found.error } }
  const kind = found.target['kind'] ?? ''
  const tools = toolsFor(String(kind)).map(({ name, description, input }) => ({
    name,
    target_kind: kind,
    description,
    input_schema: input,
  }))
  return { kind: 'data', data: { target: found.target, tools, error: null } }
}

/** What E4 and the catalog ask for alike. */
interface TargetBody {
  readonly target_locator: string
  readonly target_kind?: string
  readonly account_id?: number
}

/** A host to work on, or the request-level error that goes into `data.error`. */
export type FoundTarget =
  | { readonly host: SandboxHost; readonly target: JsonObject }
  | { readonly error: JsonObject; readonly target: JsonObject }

/** The rules on the target that the schema cannot say. */
function checkTarget({ body, caller }: ReceivedCall<TargetBody>): Refused | undefined {
  if (Buffer.byteLength(body.target_locator) > 256)
    return refuseField('target_locator', 'must have at most 256 bytes', '最多 256 字节')
  if (body.account_id && body.account_id !== caller.accountId)
    return refuseField('account_id', 'is not the account of the key', '与密钥所属账户不一致')
  return undefined
}

function findTarget({ body, caller }: ReceivedCall<TargetBody>): FoundTarget {
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
  if (!host.kinds.includes(kind))
    return fail('target_unavailable', `no agent is connected for ${locator} as ${kind}`)
  if (host.behaviour === 'unavailable')
    return fail('target_unavailable', `the agent of ${locator} is offline`)
  if (host.behaviour === 'cut-off') return fail('forward_failed', `the edge before ${locator} did not answer`)
  return { host, target: { kind, locator } }
}
