import type { Template } from '../expressions/tree.ts'
import { evaluateTemplate, type KnownScope } from './known.ts'
import type { ValueForecast } from './step-forecast.ts'
import { templateSource } from './template-source.ts'

/** What is known about a value. */
export function forecastValue(template: Template, scope: KnownScope): ValueForecast {
  const evaluated = evaluateTemplate(template, scope)
  if (evaluated.state === 'known') return evaluated
  const source = templateSource(template)
  return evaluated.state === 'failed'
    ? { state: 'failed', source, message: evaluated.message }
    : { state: 'open', source, needs: evaluated.needs }
}
