import { type JsonPath, withoutUndefined } from '../../core/json.ts'
import type { TriggerPlan } from '../../core/plan/index.ts'
import { parseCron, zoneProblem } from '../../core/times/index.ts'
import { checkHook, eventTypeOf } from '../compile/check-hook.ts'
import { checkPositive } from '../compile/check-step-times.ts'
import type { CompileContext } from '../compile/context.ts'
import { milliseconds } from '../compile/policies.ts'
import { scopeOf, type TypeScope, withCondition } from '../compile/scope.ts'
import { type Compiled, compileCondition, compileTemplate, compileTyped } from '../compile/template.ts'
import { checkGivenInputs } from '../inputs/check-given-inputs.ts'
import { languageDefaults as usual } from '../language/defaults.ts'
import type { TriggerKeys } from '../runbook-document.ts'
import type { Source } from '../source.ts'

const nothing = scopeOf({})
const oneLine = ['text', 'number', 'boolean'] as const

/** Compiles what starts the runbook. Expressions see `event` with incidents, and nothing with schedules. */
export function compileTriggers(context: CompileContext): readonly TriggerPlan[] | undefined {
  return context.document.triggers?.flatMap((trigger, index): TriggerPlan[] => {
    if (!trigger) return []
    const path = ['triggers', index]
    if (trigger.type === 'schedule') return [compileSchedule(context, trigger, path)]
    // Its keys show what a trigger without a type is; its expressions are read as those of an incident.
    return [compileIncident(context, trigger, path)]
  })
}

function compileIncident(context: CompileContext, trigger: TriggerKeys, path: JsonPath): TriggerPlan {
  const any = scopeOf({ event: eventTypeOf(context, trigger.hook) })
  if (trigger.hook !== undefined) checkHook(context, trigger.hook, [...path, 'hook'])
  const where = compileCondition(context, trigger.where, [...path, 'where'], any)
  const scope = withCondition(any, where)
  const text = (value: string | undefined, ...keys: readonly string[]) =>
    value === undefined
      ? undefined
      : compileTyped(context, value, [...path, ...keys], scope, oneLine).template
  const dedupeKey = text(trigger['dedupe-key'], 'dedupe-key')
  const key = text(trigger.cooldown?.key, 'cooldown', 'key')
  const inputs = compileInputs(context, trigger, path, scope)
  checkPositive(context.source, trigger, ['cooldown', 'for'], path)
  checkPositive(context.source, trigger, ['max-starts', 'per'], path)
  const forMs = milliseconds(trigger.cooldown?.for, 0)
  const starts = trigger['max-starts']
  return {
    type: 'incident',
    ...withoutUndefined({ hook: trigger.hook, where, dedupeKey }),
    ...(trigger.cooldown === undefined ? {} : { cooldown: { forMs, ...(key === undefined ? {} : { key }) } }),
    maxStarts: {
      count: starts?.count ?? usual.maxStarts.count,
      perMs: milliseconds(starts?.per, usual.maxStarts.perMs),
    },
    ...(inputs === undefined ? {} : { with: inputs.template }),
  }
}

function compileSchedule(context: CompileContext, trigger: TriggerKeys, path: JsonPath): TriggerPlan {
  checkSchedule(context.source, trigger, path)
  const optional = {
    cron: trigger.cron,
    everyMs: trigger.every === undefined ? undefined : milliseconds(trigger.every, 0),
    with: compileInputs(context, trigger, path, nothing)?.template,
  }
  const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined))
  return {
    type: 'schedule',
    timezone: trigger.timezone ?? usual.schedule.timezone,
    overlap: trigger.overlap ?? usual.schedule.overlap,
    catchUpMs: milliseconds(trigger['catch-up'], usual.schedule.catchUpMs),
    ...given,
  }
}

/** The inputs that a trigger gives are those of the runbook. */
function compileInputs(
  context: CompileContext,
  trigger: TriggerKeys,
  path: JsonPath,
  scope: TypeScope,
): Compiled | undefined {
  const { source, document } = context
  const at = trigger.with === undefined ? path : [...path, 'with']
  const inputs = compileTemplate(context, trigger.with ?? {}, at, scope)
  checkGivenInputs(source, document.inputs, inputs, trigger.with ?? {}, at)
  return trigger.with === undefined ? undefined : inputs
}

/** Checks the times of a schedule. */
function checkSchedule(source: Source, trigger: TriggerKeys, path: JsonPath): void {
  checkTimezone(source, trigger.timezone, [...path, 'timezone'])
  checkPositive(source, trigger, ['every'], path)
  checkCron(source, trigger.cron, [...path, 'cron'])
}

function checkCron(source: Source, cron: string | undefined, path: JsonPath): void {
  if (cron === undefined || cron.includes('${{')) return
  const parsed = parseCron(cron)
  if (!('problem' in parsed)) return
  const { message, hint, start, end } = parsed.problem
  source.findings.add('INVALID_CRON', path, source.rangeWithin(path, start, end), message, hint)
}

function checkTimezone(source: Source, name: string | undefined, path: JsonPath): void {
  const problem = name === undefined || name.includes('${{') ? undefined : zoneProblem(name)
  if (problem === undefined) return
  source.add('UNKNOWN_TIMEZONE', path, problem.message, problem.hint)
}
