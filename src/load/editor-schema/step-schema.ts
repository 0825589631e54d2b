import { type ActionDescription, ownActionName } from '../../core/action.ts'
import type { JsonSchema } from '../../core/json.ts'
import { places, type StepKind, stepKindKeys } from '../language/index.ts'
import { argumentsName } from './argument-schema.ts'
import { type Variant, variantsSchema } from './variants.ts'

/** A step: which keys it takes depends on its kind, and what stands under `with` on its action. */
export function stepSchema(actions: readonly ActionDescription[], hasOthers: boolean): JsonSchema {
  const kinds = Object.keys(stepKindKeys) as StepKind[]
  const uses = hasOthers ? { anyOf: [usesSchema(actions), otherActions(actions)] } : usesSchema(actions)
  const variants = kinds.map(
    (kind): Variant => ({
      isMeant: { required: [kind] },
      keys: [kind, ...stepKindKeys[kind]],
      ...(kind === 'uses' ? { rules: { allOf: actions.map(actionRule) }, properties: { uses } } : {}),
    }),
  )
  return variantsSchema(places.step, variants, {
    isMeant: {},
    keys: kinds,
    properties: { uses },
    rules: { anyOf: kinds.map((kind) => ({ required: [kind] })) },
  })
}

/** The names that `uses` takes, each with what it does. */
function usesSchema(actions: readonly ActionDescription[]): JsonSchema {
  return {
    type: 'string',
    description: 'The action to call.',
    enum: actions.map(({ name }) => name),
    enumDescriptions: actions.map(({ summary }) => `${summary}.`),
  }
}

/** Names that only actions of a project can have: none in a namespace of the listed ones. */
function otherActions(actions: readonly ActionDescription[]): JsonSchema {
  const taken = [...new Set(actions.map(({ name }) => name.split('/')[0]))].join('|')
  return {
    type: 'string',
    pattern: `^(?!(?:${taken})/)${ownActionName.source.replace('^', '')}`,
    description: 'An action of this project. Its arguments are not checked here.',
  }
}

function actionRule(action: ActionDescription): JsonSchema {
  const { name, input, batch, savesFile } = action
  const needsArguments = Array.isArray(input['required']) && input['required'].length > 0
  const required = [...(needsArguments ? ['with'] : []), ...(savesFile === 'always' ? ['save-as'] : [])]
  const tolerate = refused(`${name} has no items that could fail one by one.`)
  return {
    if: { properties: { uses: { const: name } }, required: ['uses'] },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: {
      ...(required.length === 0 ? {} : { required }),
      properties: {
        with: { $ref: `#/definitions/${argumentsName(action)}` },
        ...(batch === undefined ? { tolerate } : {}),
      },
    },
  }
}

/** Takes nothing that an author would write. Of the ways to say so, editors give this one our own message. */
function refused(errorMessage: string): JsonSchema {
  return { type: 'null', errorMessage, doNotSuggest: true }
}
