/** The language as a JSON Schema for editors: completion, help and checks as an author types. */
import type { ActionDescription } from '../../core/action.ts'
import { builtinActions } from '../../core/builtins/index.ts'
import type { JsonSchema } from '../../core/json.ts'
import { sections, triggerKeys } from '../language/index.ts'
import { argumentsDefinitions } from './argument-schema.ts'
import { inputsDefinitions } from './inputs-schema.ts'
import { sectionSchema } from './section-schema.ts'
import { stepSchema, type Variant, variantsSchema } from './step-schema.ts'

/**
 * A JSON Schema (draft-07, which YAML editors know best) of a runbook with these actions beside those of the core.
 * It is for editors: what it takes may still be refused when the runbook is loaded, and never the other way round.
 * With `hasOthers` it takes any name that an action of a project can have: those are not all in the list.
 */
export function editorSchema(
  actions: readonly ActionDescription[],
  { hasOthers = false }: { readonly hasOthers?: boolean } = {},
): JsonSchema {
  const all = [...builtinActions, ...actions]
  const { document, step: _step, trigger: _trigger, ...others } = sections
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...sectionSchema(document),
    title: 'Opsbook runbook',
    definitions: {
      step: stepSchema(all, hasOthers),
      trigger: triggerSchema(),
      ...Object.fromEntries(Object.values(others).map((section) => [section.name, sectionSchema(section)])),
      ...inputsDefinitions,
      ...Object.assign({}, ...all.map(argumentsDefinitions)),
    },
  }
}

/** A trigger: which keys it takes depends on its type. */
function triggerSchema(): JsonSchema {
  const types = Object.keys(triggerKeys) as (keyof typeof triggerKeys)[]
  const variants = types.map(
    (type): Variant => ({
      isMeant: { properties: { type: { const: type } }, required: ['type'] },
      keys: triggerKeys[type],
      ...(type === 'schedule' ? { rules: oneSchedule } : {}),
    }),
  )
  return variantsSchema(sections.trigger, variants, { isMeant: {}, keys: [] })
}

/** With `cron`, `every` is refused by name; with neither, both are asked for. */
const oneSchedule: JsonSchema = {
  anyOf: [{ required: ['cron'] }, { required: ['every'] }],
  dependencies: { cron: { properties: { every: false } } },
}
