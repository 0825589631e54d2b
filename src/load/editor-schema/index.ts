/** The language as a JSON Schema for editors: completion, help and checks as an author types. */
import type { ActionDescription } from '../../core/action.ts'
import { coreActions } from '../../core/core-actions.ts'
import type { JsonSchema } from '../../core/json.ts'
import { places } from '../language/index.ts'
import { argumentsDefinitions } from './argument-schema.ts'
import { inputsDefinitions } from './inputs-schema.ts'
import { placeSchema } from './place-schema.ts'
import { stepSchema } from './step-schema.ts'
import { triggerSchema } from './trigger-schema.ts'

/**
 * A JSON Schema (draft-07, which YAML editors know best) of a runbook with these actions beside those of the core.
 * It is for editors: what it takes may still be refused when the runbook is loaded, and never the other way round.
 * With `hasOthers` it takes any name that an action of a project can have: those are not all in the list.
 */
export function editorSchema(
  actions: readonly ActionDescription[],
  { hasOthers = false }: { readonly hasOthers?: boolean } = {},
): JsonSchema {
  const all = [...coreActions, ...actions]
  const { document, step: _step, trigger: _trigger, ...others } = places
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...placeSchema(document),
    title: 'Opsbook runbook',
    definitions: {
      step: stepSchema(all, hasOthers),
      trigger: triggerSchema(),
      ...Object.fromEntries(Object.values(others).map((place) => [place.name, placeSchema(place)])),
      ...inputsDefinitions,
      ...Object.assign({}, ...all.map(argumentsDefinitions)),
    },
  }
}
