import { Ajv, type ValidateFunction } from 'ajv'
import type { Runtime } from '../call.ts'
import { waitUnlessClosing } from '../clock.ts'
import type { SandboxHost } from '../hosts.ts'
import { createRandom } from '../ids.ts'
import type { JsonObject } from '../json.ts'
import { toolsFor } from './index.ts'
import type { Params, SandboxTool, ToolAnswer } from './tool.ts'

/** One of the tools of a call. */
interface ToolCall {
  readonly tool: string
  readonly params: Params
  readonly host: SandboxHost
  readonly kind: string
  /** The host already works on another call. */
  readonly isBusy: boolean
}

/** Runs a tool and answers its result entry in the document's shape; never fails. */
export async function runTool(call: ToolCall, runtime: Runtime): Promise<JsonObject> {
  const { settings, closing, clock, world } = runtime
  const tool = toolsFor(call.kind).find(({ name }) => name === call.tool)
  const random = createRandom(
    `${world.seed}/${call.host.locator}/${call.tool}/${JSON.stringify(call.params)}`,
  )
  const ownMs = Math.round(3 + random() * 37)
  const answer =
    hostFailure(call, runtime) ?? tryTool(tool, call, { host: call.host, atMs: clock.now(), random })
  const wantedMs = waitOf(call, runtime, random) + (answer.takesMs ?? 0)
  const isLate = wantedMs > settings.toolTimeoutMs
  const waitedMs = Math.min(wantedMs, settings.toolTimeoutMs)
  await waitUnlessClosing(waitedMs, closing)
  const final = isLate
    ? { code: 'timeout', message: `${call.tool} did not end within ${settings.toolTimeoutMs} ms` }
    : answer
  const agentMs = ownMs + Math.round(waitedMs)
  return {
    tool: call.tool,
    tool_version: tool?.version ?? '',
    ...resultOf(final),
    agent_elapsed_ms: agentMs,
    e2e_elapsed_ms: agentMs + 4 + Math.round(settings.latencyMs),
  }
}

function resultOf(answer: ToolAnswer): JsonObject {
  if ('code' in answer) return { data: null, error: { code: answer.code, message: answer.message } }
  const { data, summary, truncated = false } = answer
  return { data: { data, summary, truncated: { truncated } }, error: null }
}

function hostFailure({ host, tool, isBusy }: ToolCall, { visited }: Runtime): ToolAnswer | undefined {
  if (host.behaviour === 'busy' && isBusy)
    return { code: 'overloaded', message: `${host.locator} works on another call; try again later` }
  if (host.behaviour === 'denied')
    return { code: 'permission_denied', message: `the agent of ${host.locator} may not run ${tool}` }
  const visit = `${host.locator}/${tool}`
  if (host.behaviour === 'flaky' && !visited.has(visit)) {
    visited.add(visit)
    return { code: 'internal', message: `${tool} stopped unexpectedly` }
  }
  return undefined
}

function tryTool(
  tool: SandboxTool | undefined,
  call: ToolCall,
  scene: Parameters<SandboxTool['run']>[1],
): ToolAnswer {
  if (tool === undefined) return { code: 'unknown_tool', message: `there is no tool ${call.tool}` }
  const problem = findProblem(tool, call.params)
  if (problem !== undefined) return { code: 'invalid_args', message: problem }
  if (tool.name.startsWith('mysql.') && !call.host.hasMysql)
    return { code: 'target_unreachable', message: 'connect 127.0.0.1:3306: connection refused' }
  if (tool.name.startsWith('docker.') && !call.host.hasDocker)
    return { code: 'target_unreachable', message: 'connect /var/run/docker.sock: no such file' }
  return tool.run(call.params, scene)
}

function waitOf({ host, isBusy }: ToolCall, { settings }: Runtime, random: () => number): number {
  if (host.behaviour === 'slow') return settings.slowToolMs * (2 / 3 + (2 / 3) * random())
  return host.behaviour === 'busy' && !isBusy ? settings.busyToolMs : 0
}

const ajv = new Ajv()
const compiled = new Map<string, ValidateFunction>()

function findProblem(tool: SandboxTool, params: Params): string | undefined {
  const validate = compiled.get(tool.name) ?? ajv.compile(tool.input)
  compiled.set(tool.name, validate)
  if (validate(params)) return undefined
  const [error] = validate.errors ?? []
  const name = error?.params['additionalProperty'] ?? error?.params['missingProperty']
  const place = name === undefined ? `params${error?.instancePath.replaceAll('/', '.')}` : `params.${name}`
  return `${place}: ${error?.message}`
}
