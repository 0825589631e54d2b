import type { Template } from '../expressions/tree.ts'
import { isJsonObject, type JsonSchema, type JsonValue } from '../json.ts'
import type { Plan, UsesPlan } from '../plan.ts'
import { evaluateTemplate, type Known, type KnownScope, known, knownMap, unknown } from './known.ts'
import type { RunbookForecast } from './step-forecast.ts'
import { entriesOf, partsAt } from './template-parts.ts'
import type { WalkContext, Walked } from './walk-context.ts'

/** Walks the runbook that a `core/run` step runs, with what is known of its inputs. */
export function walkChild(
  uses: UsesPlan,
  scope: KnownScope,
  context: WalkContext,
): Walked<RunbookForecast> | undefined {
  const child = uses.runbook === undefined ? undefined : context.children[uses.runbook]
  if (child === undefined) return undefined
  return context.walkRunbook(child, childInputs(child, uses, scope), context)
}

/** The inputs of a child: those that the step gives, and the defaults of the others. */
function childInputs(child: Plan, uses: UsesPlan, scope: KnownScope): Known {
  const [given] = partsAt(uses.with, ['inputs'])
  const defaults = defaultsOf(child)
  if (given === undefined) return knownMap(defaults)
  const inputOf = (template: Template): Known => {
    const evaluated = evaluateTemplate(template, scope)
    return evaluated.state === 'known' ? known(evaluated.value) : unknown
  }
  if (given.kind !== 'expression') {
    const fields = entriesOf(given).map(([name, template]) => [name, inputOf(template)] as const)
    return knownMap({ ...defaults, ...Object.fromEntries(fields) })
  }
  const whole = inputOf(given)
  if (whole.kind !== 'value' || !isJsonObject(whole.value)) return unknown
  const fields = Object.entries(whole.value).map(([name, value]) => [name, known(value)] as const)
  return knownMap({ ...defaults, ...Object.fromEntries(fields) })
}

function defaultsOf({ inputs }: Plan): Readonly<Record<string, Known>> {
  const properties = Object.entries((inputs?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>)
  return Object.fromEntries(
    properties.flatMap(([name, property]) => {
      const otherwise = isJsonObject(property) ? property['default'] : undefined
      return otherwise === undefined ? [] : [[name, known(otherwise as JsonValue)] as const]
    }),
  )
}
