import type { Template } from '../expressions/tree.ts'
import { isJsonObject, type JsonValue } from '../json.ts'
import type { UsesPlan } from '../plan.ts'
import type { KnownScope } from './known.ts'
import type { ArgumentForecast } from './step-forecast.ts'
import { entriesOf } from './template-parts.ts'
import { forecastValue } from './value-forecast.ts'
import type { ForecastAction } from './walk-context.ts'

/** Each argument with what is known about it. Secrets stand by name: the plan has no values of them. */
export function forecastArguments(
  { with: given, secrets = [] }: UsesPlan,
  action: ForecastAction | undefined,
  scope: KnownScope,
): readonly ArgumentForecast[] {
  const { sensitiveInput = [], secretNames = [] } = action ?? {}
  const sensitive = new Set([...sensitiveInput, ...secretNames].map((pattern) => pattern.split('.')[0]))
  const values = argumentsOf(given).flatMap(([name, template]): readonly ArgumentForecast[] => {
    return sensitive.has(name) && template.kind === 'literal' && isEmpty(template.value)
      ? []
      : [{ name, ...forecastValue(template, scope) }]
  })
  const fromSecrets = secrets.map(
    ({ path, name: secret }): ArgumentForecast => ({ name: path.join('.'), state: 'secret', secret }),
  )
  return [...values, ...fromSecrets]
}

/** The arguments one by one; all of them under an empty name where they are not told apart. */
function argumentsOf(template: Template): readonly (readonly [string, Template])[] {
  return template.kind === 'object' || template.kind === 'literal' ? entriesOf(template) : [['', template]]
}

/** What is left of a map whose every value was a secret. */
function isEmpty(value: JsonValue): boolean {
  return isJsonObject(value) && Object.values(value).every(isEmpty)
}
