import { parseDuration } from '../duration.ts'
import type { Template } from '../expressions/tree.ts'
import { isJsonObject, type JsonSchema } from '../json.ts'
import type { UsesPlan } from '../plan.ts'
import { windowsOf } from '../rate-limit.ts'
import { type Calls, exactly, noCalls } from './calls.ts'
import { checkInput } from './check-input.ts'
import { forecastArguments } from './forecast-arguments.ts'
import { evaluateTemplate, type KnownScope } from './known.ts'
import type { BatchForecast, Risk, UsesForecast } from './step-forecast.ts'
import { nothing, type Task } from './task.ts'
import { partsAt } from './template-parts.ts'
import { forecastValue } from './value-forecast.ts'
import { walkChild } from './walk-child.ts'
import { addProblem, type ForecastAction, type WalkContext, type WalkedBody } from './walk-context.ts'

/** The call of an action: its arguments, how many calls it takes, how long they take at least. */
export function walkUses(uses: UsesPlan, scope: KnownScope, context: WalkContext): WalkedBody {
  const { name, safety } = uses.action
  const action = context.actions.get(name)
  if (!action && !context.notLoaded.has(name)) addProblem(context, '', `there is no action ${name}`)
  const input = evaluateTemplate(uses.with, scope)
  if (action) checkInput(uses, action, input, context)
  const saveAs = uses.saveAs && forecastValue(uses.saveAs, scope)
  if (saveAs?.state === 'failed') addProblem(context, '.save-as', saveAs.message)
  const batch = forecastBatch(uses, scope)
  const child = walkChild(uses, scope, context)
  const risk: Risk = action?.isLocal ? 'local' : safety
  const calls = risk === 'local' ? noCalls : countCalls(uses, action, batch)
  const timeout = uses.attemptTimeoutMs ?? (risk === 'local' ? undefined : action?.defaultTimeoutMs)
  const forecast: UsesForecast = {
    action: name,
    risk,
    ...(uses.connection === undefined ? {} : { connection: uses.connection }),
    ...(action?.limit === undefined ? {} : { limit: action.limit }),
    arguments: forecastArguments(uses, action, scope),
    ...(child === undefined ? {} : { child: child.forecast }),
    ...(batch === undefined ? {} : { batch }),
    ...(saveAs === undefined ? {} : { saveAs }),
    retry: uses.retry,
    tolerate: uses.tolerate,
    ...(timeout === undefined ? {} : { attemptTimeoutMs: timeout }),
    ...(uses.repeat === undefined ? {} : { repeat: { ...uses.repeat, until: uses.repeat.until.source } }),
    expect: (uses.expect ?? []).map(({ that }) => that.source),
    secrets: [...new Set((uses.secrets ?? []).map((secret) => secret.name))],
  }
  const connection = uses.connection === undefined ? {} : { connection: uses.connection }
  return {
    forecast: { uses: forecast, steps: [], finally: [] },
    task:
      child?.task ??
      (risk === 'local' ? waitOf(uses, scope, context) : callsOf(action, uses, calls, context)),
    usage: child?.usage ?? (risk === 'local' ? [] : [{ action: name, ...connection, risk, calls }]),
    ...(name === 'core/set' ? { outputs: input } : {}),
    inner: {},
  }
}

/** How many items there are is often known before the items are. */
function forecastBatch(uses: UsesPlan, scope: KnownScope): BatchForecast | undefined {
  const { batch } = uses.action
  if (batch === undefined) return undefined
  const { argument, size } = batch
  const [items] = partsAt(uses.with, [argument])
  const isWhole = items === uses.with
  return { argument, size, items: items === undefined || isWhole ? null : countItems(items, scope) }
}

function countItems(template: Template, scope: KnownScope): number | null {
  if (template.kind === 'list') return template.items.length
  const evaluated = evaluateTemplate(template, scope)
  return evaluated.state === 'known' && Array.isArray(evaluated.value) ? evaluated.value.length : null
}

function countCalls(
  uses: UsesPlan,
  action: ForecastAction | undefined,
  batch: BatchForecast | undefined,
): Calls {
  const once = batch === undefined ? exactly(1) : groupsOf(batch, action)
  return uses.repeat === undefined ? once : { least: once.least, most: null }
}

function groupsOf({ argument, size, items }: BatchForecast, action: ForecastAction | undefined): Calls {
  if (items !== null) return exactly(Math.ceil(items / size))
  const properties = action?.input['properties'] as Readonly<Record<string, JsonSchema>> | undefined
  const least = Number(properties?.[argument]?.['minItems'] ?? 0) > 0 ? 1 : 0
  return { least, most: null }
}

function callsOf(
  action: ForecastAction | undefined,
  { connection }: UsesPlan,
  { least }: Calls,
  context: WalkContext,
): Task {
  if (!action || least === 0) return nothing
  const { account, key } = context.countedFor(connection)
  const counted = action.limit?.per === 'app_key' ? `${account}/${key}` : account
  const windows = action.limit === undefined ? [] : windowsOf(action.limit)
  return { kind: 'calls', lane: `${counted}/${action.name}`, windows, count: least }
}

/** The only action that takes time without a call, and does not wait for a person. */
function waitOf({ action, with: given }: UsesPlan, scope: KnownScope, context: WalkContext): Task {
  if (action.name !== 'core/wait') return nothing
  const input = evaluateTemplate(given, scope)
  if (input.state !== 'known' || !isJsonObject(input.value)) return nothing
  const { for: time, until } = input.value
  if (typeof time === 'string') return { kind: 'wait', ms: parseDuration(time) ?? 0 }
  if (typeof until !== 'string') return nothing
  return { kind: 'until', ms: Math.max(0, context.millisecondsUntil(until) || 0) }
}
