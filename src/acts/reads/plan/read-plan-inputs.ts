import { isJsonObject, type JsonObject, type JsonSchema } from '../../../core/json.ts'
import type { Plan } from '../../../core/plan/index.ts'
import type { InputDocument } from '../../../documents/index.ts'
import { checkRunInputs } from '../../../project/runbooks/index.ts'
import { typeText } from '../../../project/text/index.ts'

/** The inputs of a plan. */
export interface PlanInputs {
  readonly list: readonly InputDocument[]
  /** Those that have a value. */
  readonly values: JsonObject
  readonly missing: readonly string[]
}

/** Checks the given inputs as a run would, except that required inputs may be missing. */
export function readPlanInputs(plan: Plan, given: JsonObject): PlanInputs {
  const required = listOf(plan.inputs?.['required'])
  const needed = required.filter((name) => Object.hasOwn(given, name))
  const lenient = plan.inputs === undefined ? {} : { inputs: { ...plan.inputs, required: needed } }
  const values = checkRunInputs({ ...plan, ...lenient }, given)
  const missing = required.filter((name) => !Object.hasOwn(values, name))
  const properties = propertiesOf(plan.inputs)
  const names = new Set([...Object.keys(properties), ...required, ...Object.keys(values)])
  const list = [...names].map((name): InputDocument => {
    const value = values[name]
    const state = Object.hasOwn(given, name) ? 'given' : value === undefined ? 'not_given' : 'default'
    return {
      name,
      type: typeText(properties[name] ?? {}),
      required: required.includes(name),
      state: missing.includes(name) ? 'missing' : state,
      ...(value === undefined ? {} : { value }),
    }
  })
  return { list, values, missing }
}

function propertiesOf(schema: JsonSchema | undefined): Readonly<Record<string, JsonSchema>> {
  const properties = schema?.['properties']
  return isJsonObject(properties) ? (properties as Readonly<Record<string, JsonSchema>>) : {}
}

function listOf(names: unknown): readonly string[] {
  return Array.isArray(names) ? names.map(String) : []
}
