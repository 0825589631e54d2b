import { canBe, describeKinds, referencesOf, render } from '../../core/expressions/index.ts'
import { formatPath, type JsonPath } from '../../core/json.ts'
import { type InputSetting, readSetting } from '../../core/plan/index.ts'
import { errorData } from '../../core/run-error.ts'
import { parseDuration } from '../../core/times/index.ts'
import { nameOf } from '../schema-problems.ts'
import type { CompileContext } from './context.ts'
import { compileTemplate } from './template.ts'
import { addWrongKind } from './wrong-kind.ts'

/** Why no other name is there. */
const hint = 'only inputs can be read here: the value is decided before the first step'

/** What a key comes to: a number, and the setting that decides another one. */
export interface CompiledSetting {
  readonly value: number
  readonly setting?: InputSetting
}

/** A count that is written out, or that an expression over the inputs decides. `otherwise`: the default. */
export function compileCount(
  context: CompileContext,
  value: number | string | undefined,
  path: JsonPath,
  { otherwise, most }: { readonly otherwise: number; readonly most: number },
): CompiledSetting {
  if (typeof value !== 'string') return { value: value ?? otherwise }
  // As long as it is open, a plan counts with the number that takes the least time.
  return { value: most, ...compileOfInputs(context, value, path, { unit: 'count', least: 1, most }) }
}

/** The same for a duration, in milliseconds. */
export function compileDuration(
  context: CompileContext,
  value: string | undefined,
  path: JsonPath,
  { otherwise, least = 0 }: { readonly otherwise: number; readonly least?: number },
): CompiledSetting {
  if (value === undefined) return { value: otherwise }
  const written = parseDuration(value)
  if (written !== undefined || !value.includes('${{')) return { value: written ?? otherwise }
  return { value: otherwise, ...compileOfInputs(context, value, path, { unit: 'duration', least }) }
}

function compileOfInputs(
  context: CompileContext,
  value: string,
  path: JsonPath,
  rules: Pick<InputSetting, 'unit' | 'least' | 'most'>,
): { readonly setting?: InputSetting } {
  const { scope } = context
  if (!scope || !value.includes('${{')) return {}
  const { inputs } = scope.names
  const names = inputs === undefined ? {} : { inputs }
  const alone = { ...scope, names, hint }
  const { list } = context.source.findings
  const before = list.length
  const { template, type } = compileTemplate(context, value, path, alone)
  if (template.kind === 'literal') return {}
  if (rules.unit === 'count') {
    if (!canBe(type, 'number')) addWrongKind(context.source, value, type, path, ['number'])
  } else if (!canBe(type, 'text')) {
    const message = `${nameOf(path)} takes a duration, and this is ${describeKinds(type.kinds)}`
    context.source.add('WRONG_KIND', path, message, 'a text with its unit, such as "${{ … }}s"')
  }
  const setting = { at: formatPath(path), value: template, ...rules }
  // An expression with a finding has no value.
  const problem = list.length > before ? undefined : constantProblem(setting)
  if (problem !== undefined) {
    context.source.add('WRONG_VALUE', path, `${nameOf(path)}: ${problem}`)
    return {}
  }
  context.hasSettings = true
  return { setting }
}

/** Why a setting that reads no input can never be taken. */
function constantProblem(setting: InputSetting): string | undefined {
  if (referencesOf(setting.value).length > 0) return undefined
  try {
    return readSetting(setting, render(setting.value, {})).problem
  } catch (error) {
    return errorData(error).message
  }
}

/** The values of several keys, and what of them the inputs decide, as an object of a plan holds them. */
export function settingsOf<Field extends string>(
  compiled: Readonly<Record<Field, CompiledSetting>>,
): Readonly<Record<Field, number>> & { readonly settings?: Readonly<Partial<Record<Field, InputSetting>>> } {
  const entries = Object.entries<CompiledSetting>(compiled)
  const values = Object.fromEntries(entries.map(([field, { value }]) => [field, value]))
  const settings = entries.flatMap(([field, { setting }]) => (setting ? [[field, setting] as const] : []))
  return {
    ...(values as Readonly<Record<Field, number>>),
    ...(settings.length === 0
      ? {}
      : { settings: Object.fromEntries(settings) as Partial<Record<Field, InputSetting>> }),
  }
}
