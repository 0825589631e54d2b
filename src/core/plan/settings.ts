import { render } from '../expressions/render.ts'
import { templateSource } from '../expressions/template-source.ts'
import { nameKind } from '../expressions/value-type.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { RunbookError } from '../run-error.ts'
import { parseDuration } from '../times/duration.ts'
import type { InputSetting, InputSettings } from './input-setting.ts'
import type { Plan } from './plan.ts'

/** Replaces every setting whose value is known. `numberOf` answers with undefined where it is not known yet. */
export function settlePlan(plan: Plan, numberOf: (setting: InputSetting) => number | undefined): Plan {
  if (!plan.hasSettings) return plan
  const settle = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(settle)
    if (typeof value !== 'object' || value === null || isTemplate(value)) return value
    const { settings, ...rest } = value as { readonly settings?: Readonly<Record<string, InputSetting>> }
    const settled = Object.entries(rest).map(([key, inner]) => [key, settle(inner)] as const)
    if (settings === undefined) return Object.fromEntries(settled)
    const given = Object.entries(settings).map(
      ([field, setting]) => [field, setting, numberOf(setting)] as const,
    )
    const open = given.flatMap(([field, setting, number]) => (number === undefined ? [[field, setting]] : []))
    const known = given.flatMap(([field, , number]) => (number === undefined ? [] : [[field, number]]))
    return {
      ...Object.fromEntries(settled),
      ...Object.fromEntries(known),
      ...(open.length === 0 ? {} : { settings: Object.fromEntries(open) }),
    }
  }
  const { steps, finally: cleanUp } = plan
  return {
    ...plan,
    steps: settle(steps) as Plan['steps'],
    ...(cleanUp === undefined ? {} : { finally: settle(cleanUp) as NonNullable<Plan['finally']> }),
  }
}

/** A literal of the author can have any key. */
function isTemplate(value: object): boolean {
  if ('tree' in value) return true
  const { kind } = value as { readonly kind?: unknown }
  return (
    kind === 'literal' || kind === 'expression' || kind === 'text' || kind === 'list' || kind === 'object'
  )
}

/** Replaces every setting of a plan. Throws `InvalidInput` for a value that is no number of its range. */
export function settleWith(plan: Plan, inputs: JsonObject): Plan {
  return settlePlan(plan, (setting) => {
    const { number, problem } = readSetting(setting, render(setting.value, { inputs }))
    if (number !== undefined) return number
    throw new RunbookError('InvalidInput', `${setting.at}: ${problem}`, { notSent: true })
  })
}

/** A number of a plan, or where it is open what decides it: its source. */
export type Settled = number | { readonly source: string }

/** A number of an object of a plan, or what decides it. */
export function settled<Field extends string>(
  holder: InputSettings<Field> & Readonly<Record<Field, number>>,
  field: Field,
): Settled {
  const open = holder.settings?.[field]
  return open === undefined ? holder[field] : { source: templateSource(open.value) }
}

/** The number that a setting comes to, or why there is none. */
export function readSetting(
  setting: InputSetting,
  value: JsonValue,
):
  | { readonly number: number; readonly problem?: undefined }
  | { readonly number?: undefined; readonly problem: string } {
  const { unit, least, most = Number.POSITIVE_INFINITY } = setting
  const number = unit === 'duration' ? (typeof value === 'string' ? parseDuration(value) : undefined) : value
  const isNumber = typeof number === 'number' && (unit === 'duration' || Number.isInteger(number))
  if (isNumber && number >= least && number <= most) return { number }
  const source = templateSource(setting.value)
  return { problem: `${source} comes to ${valueText(value)}, and must be ${rangeText(setting)}` }
}

function valueText(value: JsonValue): string {
  if (typeof value === 'object' && value !== null) return nameKind(value)
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

function rangeText({ unit, least, most }: InputSetting): string {
  if (unit === 'duration')
    return `a duration, such as 30s, at most 36500d${least > 0 ? ', of more than zero' : ''}`
  return `a whole number from ${least}${most === undefined ? '' : ` to ${most}`}`
}
