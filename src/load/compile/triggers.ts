import { mapOf, typeOfSchema } from '../../core/expressions/value-type.ts'
import type { TriggerPlan } from '../../core/plan.ts'
import type { JsonPath } from '../json-path.ts'
import type { TriggerKeys } from '../runbook-document.ts'
import type { CompileContext } from './context.ts'
import { milliseconds } from './policies.ts'
import { eventType, type Scope } from './scope.ts'
import { compileCondition, compileTemplate } from './template.ts'

/** Compiles what starts the runbook. Expressions see `event` with incidents, and nothing with schedules. */
export function compileTriggers(context: CompileContext): readonly TriggerPlan[] | undefined {
  return context.document.triggers?.map((trigger, index) => {
    const path = ['triggers', index]
    checkInputNames(context, trigger, path)
    return trigger.type === 'incident'
      ? compileIncident(context, trigger, path)
      : compileSchedule(context, trigger, path)
  })
}

function compileIncident({ source }: CompileContext, trigger: TriggerKeys, path: JsonPath): TriggerPlan {
  const scope: Scope = { names: { event: eventType }, steps: {}, guarded: [] }
  const where =
    trigger.where === undefined
      ? undefined
      : compileCondition(source, trigger.where, [...path, 'where'], scope)
  const template = (value: unknown, ...keys: readonly string[]) =>
    value === undefined ? undefined : compileTemplate(source, value, [...path, ...keys], scope).template
  const dedupeKey = template(trigger['dedupe-key'], 'dedupe-key')
  const inputs = template(trigger.with, 'with')
  const key = template(trigger.cooldown?.key, 'cooldown', 'key')
  const forMs = milliseconds(trigger.cooldown?.for, 0)
  const starts = trigger['max-starts']
  return {
    type: 'incident',
    ...(trigger.hook === undefined ? {} : { hook: trigger.hook }),
    ...(where === undefined ? {} : { where }),
    ...(dedupeKey === undefined ? {} : { dedupeKey }),
    ...(trigger.cooldown === undefined ? {} : { cooldown: { forMs, ...(key === undefined ? {} : { key }) } }),
    maxStarts: { count: starts?.count ?? 20, perMs: milliseconds(starts?.per, 600_000) },
    ...(inputs === undefined ? {} : { with: inputs }),
  }
}

function compileSchedule({ source }: CompileContext, trigger: TriggerKeys, path: JsonPath): TriggerPlan {
  const scope: Scope = { names: {}, steps: {}, guarded: [] }
  const timezone = trigger.timezone ?? 'UTC'
  if (!isTimezone(timezone)) {
    const at = [...path, 'timezone']
    const message = `there is no time zone "${timezone}"`
    source.findings.add(
      'UNKNOWN_TIMEZONE',
      at,
      source.rangeOf(at),
      message,
      'an IANA name, such as Europe/Berlin',
    )
  }
  const duration = (text: string | undefined): number | undefined =>
    text === undefined ? undefined : milliseconds(text, 0)
  const optional = {
    cron: trigger.cron,
    everyMs: duration(trigger.every),
    jitterMs: duration(trigger.jitter),
    catchUpMs: duration(trigger['catch-up']),
    startAt: trigger['start-at'],
    endAt: trigger['end-at'],
    with:
      trigger.with === undefined
        ? undefined
        : compileTemplate(source, trigger.with, [...path, 'with'], scope).template,
  }
  const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined))
  return { type: 'schedule', timezone, overlap: trigger.overlap ?? 'skip', ...given }
}

/** The inputs that a trigger gives are those of the runbook. */
function checkInputNames({ source, document }: CompileContext, trigger: TriggerKeys, path: JsonPath): void {
  const declared = typeOfSchema({ type: 'object', ...document.inputs })
  const { fields = {}, isOpen } = document.inputs === undefined ? mapOf({}) : declared
  if (typeof trigger.with !== 'object' || trigger.with === null || isOpen) return
  for (const name of Object.keys(trigger.with)) {
    if (Object.hasOwn(fields, name)) continue
    const at = [...path, 'with', name]
    source.findings.add('UNKNOWN_INPUT', at, source.rangeOfKey(at), `the runbook has no input "${name}"`)
  }
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
