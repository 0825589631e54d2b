import type { InvokeToolsInput } from '../../api/operations/index.ts'
import type { Call, Runtime } from '../call.ts'
import type { Host } from '../hosts.ts'
import type { JsonObject } from '../json.ts'
import type { Outcome } from '../outcome.ts'
import { runTool } from '../tools/run-tool.ts'
import { checkTarget, findTarget } from './find-target.ts'

/** E4: failures of the request stand in `data.error`, failures of a tool in its result; both are a 200. */
export async function invokeTools(call: Call<InvokeToolsInput>, runtime: Runtime): Promise<Outcome> {
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

function fail(target: JsonObject, error: JsonObject): Outcome {
  return { kind: 'data', data: { target, results: [], error } }
}

async function runAll(
  { body }: Call<InvokeToolsInput>,
  host: Host,
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
