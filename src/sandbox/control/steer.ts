import type { Runtime } from '../call.ts'
import type { FaultRule } from '../fault-rule.ts'
import type { JsonObject } from '../json.ts'
import type { SandboxSettings } from '../settings.ts'
import { faultsSchema, findRuleProblem } from './check-faults.ts'
import type { Endpoint } from './endpoint.ts'

/** The last instant that a JavaScript date can hold is later; what runs into it in an answer is not. */
const latestMs = Date.parse('9000-01-01T00:00:00Z')

const milliseconds = { type: 'number', minimum: 0, maximum: 86_400_000 }

/** The names on the wire of the settings. */
const settingNames: Readonly<Record<string, keyof SandboxSettings>> = {
  latency_ms: 'latencyMs',
  limits: 'limits',
  shape: 'shape',
  export_cap_ms: 'exportCapMs',
  slow_tool_ms: 'slowToolMs',
  busy_tool_ms: 'busyToolMs',
  tool_timeout_ms: 'toolTimeoutMs',
  webhook_url: 'webhookUrl',
}

/** Endpoints that change how the sandbox behaves. */
export const steerEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/reset',
    summary: 'everything as on the first day; {"seed": TEXT} starts from another seed',
    body: object({ seed: { type: ['string', 'number'] } }),
    async run({ body }, runtime) {
      const { seed } = body as { readonly seed?: string | number }
      runtime.reset(seed === undefined ? undefined : String(seed))
      await runtime.save()
      return { value: { seed: runtime.world.seed } }
    },
  },
  {
    method: 'GET',
    path: '/faults',
    summary: 'the fault rules, how often each was applied and how often it still will be',
    run: (_input, { faults }) => ({ value: { faults: faults.list() } }),
  },
  {
    method: 'POST',
    path: '/faults',
    summary: 'replaces the fault rules by the list that is sent',
    body: faultsSchema,
    run({ body }, { faults }) {
      const rules = body as unknown as readonly FaultRule[]
      for (const [index, rule] of rules.entries()) {
        const problem = findRuleProblem(rule)
        if (problem !== undefined) return { problem: `[${index}] ${problem}` }
      }
      faults.replace(rules)
      return { value: { faults: faults.list() } }
    },
  },
  {
    method: 'GET',
    path: '/clock',
    summary: 'the time on the clock of the sandbox',
    run: (_input, runtime) => ({ value: clockOf(runtime) }),
  },
  {
    method: 'POST',
    path: '/clock',
    summary:
      'sets the clock, which then stands still: {"now": TIME} or {"advance_ms": N}; {"run": true} starts it again',
    body: object({
      now: { type: ['string', 'number'] },
      advance_ms: { type: 'number' },
      run: { type: 'boolean' },
    }),
    run: ({ body }, runtime) => setClock(body as ClockChange, runtime),
  },
  {
    method: 'GET',
    path: '/config',
    summary: 'the settings',
    run: (_input, { settings }) => ({ value: formatSettings(settings) }),
  },
  {
    method: 'POST',
    path: '/config',
    summary: 'changes settings until the next reset',
    body: object({
      latency_ms: milliseconds,
      limits: { type: 'boolean' },
      shape: { enum: ['document', 'newer'] },
      export_cap_ms: milliseconds,
      slow_tool_ms: milliseconds,
      busy_tool_ms: milliseconds,
      tool_timeout_ms: milliseconds,
      webhook_url: { type: 'string' },
    }),
    run({ body }, runtime) {
      const changes = Object.entries(body as JsonObject).map(([name, value]) => [settingNames[name], value])
      runtime.settings = { ...runtime.settings, ...(Object.fromEntries(changes) as Partial<SandboxSettings>) }
      return { value: formatSettings(runtime.settings) }
    },
  },
]

function object(properties: JsonObject): JsonObject {
  return { type: 'object', properties, additionalProperties: false }
}

function formatSettings(settings: SandboxSettings): JsonObject {
  return Object.fromEntries(Object.entries(settingNames).map(([wire, name]) => [wire, settings[name]]))
}

interface ClockChange {
  readonly now?: string | number
  readonly advance_ms?: number
  readonly run?: boolean
}

async function setClock(
  { now, advance_ms, run }: ClockChange,
  runtime: Runtime,
): Promise<{ readonly value: JsonObject } | { readonly problem: string }> {
  const { clock, limits } = runtime
  const before = clock.now()
  const start = now === undefined ? before : typeof now === 'number' ? now : Date.parse(now)
  const after = start + (advance_ms ?? 0)
  if (!(start >= 0 && after >= 0 && after <= latestMs)) {
    return {
      problem: 'now must be a time, in Unix milliseconds or as 2026-01-31T12:00:00Z, before the year 9000',
    }
  }
  if (now !== undefined) clock.set(start)
  if (advance_ms !== undefined) clock.advance(advance_ms)
  if (run === true) clock.run()
  if (run === false) clock.set(clock.now())
  // Windows that were filled in what is now the future would never empty.
  if (after < before) limits.clear()
  await runtime.save()
  return { value: clockOf(runtime) }
}

function clockOf({ clock }: Runtime): JsonObject {
  const nowMs = clock.now()
  return { now: new Date(nowMs).toISOString(), now_ms: nowMs, running: clock.state().kind === 'running' }
}
