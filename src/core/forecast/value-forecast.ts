import type { Template } from '../expressions/tree.ts'
import { evaluateTemplate, type KnownScope } from './known.ts'
import { type Reference, referencesOf } from './references.ts'
import type { ValueForecast } from './step-forecast.ts'
import { templateSource } from './template-source.ts'

/** What is known about a value. Where it depends on something hidden, nothing of it is shown. */
export function forecastValue(
  template: Template,
  scope: KnownScope,
  hidden: readonly Reference[],
): ValueForecast {
  if (dependsOn(template, hidden)) return { state: 'hidden' }
  const evaluated = evaluateTemplate(template, scope)
  if (evaluated.state === 'known') return evaluated
  const source = templateSource(template)
  return evaluated.state === 'failed'
    ? { state: 'failed', source, message: evaluated.message }
    : { state: 'open', source, needs: evaluated.needs }
}

/** Whether a template reads one of the paths, something inside it, or something around it. */
export function dependsOn(template: Template, paths: readonly Reference[]): boolean {
  if (paths.length === 0) return false
  return referencesOf(template).some((reference) =>
    paths.some((path) => path.every((part, index) => index >= reference.length || part === reference[index])),
  )
}
