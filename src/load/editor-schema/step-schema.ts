import { type ActionDescription, ownActionName } from '../../core/action.ts'
import type { JsonSchema } from '../../core/json.ts'
import { string, when } from '../../core/write-schema.ts'
import { type Section, type StepKind, sections, stepKindKeys } from '../language/index.ts'
import { argumentsName } from './argument-schema.ts'
import { keySchemas, requiredKeys } from './section-schema.ts'

/** A step: its keys depend on its kind, and its arguments under `with` on its action. */
export function stepSchema(actions: readonly ActionDescription[], hasOthers: boolean): JsonSchema {
  const kinds = Object.keys(stepKindKeys) as StepKind[]
  const uses = hasOthers ? { anyOf: [usesSchema(actions), otherActions(actions)] } : usesSchema(actions)
  const variants = kinds.map(
    (kind): Variant => ({
      isMeant: { required: [kind] },
      keys: [kind, ...stepKindKeys[kind]],
      ...(kind === 'uses' ? { rules: { allOf: actions.map(actionRule) }, properties: { uses } } : {}),
      ...(kind === 'steps' ? { properties: { repeat: { $ref: '#/definitions/turns' } } } : {}),
    }),
  )
  return variantsSchema(sections.step, variants, {
    isMeant: {},
    keys: kinds,
    properties: { uses },
    rules: { anyOf: kinds.map((kind) => ({ required: [kind] })) },
  })
}

/** The names that `uses` takes, each with what it does. */
function usesSchema(actions: readonly ActionDescription[]): JsonSchema {
  return string('The action to call.', {
    enum: actions.map(({ name }) => name),
    enumDescriptions: actions.map(({ summary }) => `${summary}.`),
  })
}

/** Names that only actions of a project can have: none in a namespace of the listed ones. */
function otherActions(actions: readonly ActionDescription[]): JsonSchema {
  const taken = [...new Set(actions.map(({ name }) => name.split('/')[0]))].join('|')
  return string('An action of this project. Its arguments are not checked here.', {
    pattern: `^(?!(?:${taken})/)${ownActionName.source.replace('^', '')}`,
  })
}

function actionRule(action: ActionDescription): JsonSchema {
  const { name, input, batch, savesFile } = action
  const needsArguments = Array.isArray(input['required']) && input['required'].length > 0
  const required = [...(needsArguments ? ['with'] : []), ...(savesFile === 'always' ? ['save-as'] : [])]
  const tolerate = refused(`${name} has no items that could fail one by one.`)
  return when(
    { properties: { uses: { const: name } }, required: ['uses'] },
    {
      ...(required.length === 0 ? {} : { required }),
      properties: {
        with: { $ref: `#/definitions/${argumentsName(action)}` },
        ...(batch === undefined ? { tolerate } : {}),
      },
    },
  )
}

/** Accepts nothing that an author would write. Editors show our own message for this form only. */
function refused(errorMessage: string): JsonSchema {
  return { type: 'null', errorMessage, doNotSuggest: true }
}

/** One kind of a section that has several, each with keys of its own. */
export interface Variant {
  /** Holds for a value of this kind. */
  readonly isMeant: JsonSchema
  readonly keys: readonly string[]
  /** Rules of this kind beside its keys. */
  readonly rules?: JsonSchema
  /** More about single keys. */
  readonly properties?: Readonly<Record<string, JsonSchema>>
}

/**
 * A section of several kinds: editors offer and take only the keys of the kind that is meant, and before that is clear,
 * those that `undecided` names.
 */
export function variantsSchema(
  section: Section,
  variants: readonly Variant[],
  undecided: Variant,
): JsonSchema {
  const special = new Set([...variants, undecided].flatMap(({ keys }) => keys))
  const common = section.keys.filter(({ key }) => !special.has(key))
  const variantSchema = ({ keys, rules = {}, properties = {} }: Variant): JsonSchema => ({
    title: section.title,
    additionalProperties: false,
    properties: {
      ...Object.fromEntries(common.map(({ key }) => [key, true])),
      ...keySchemas(
        section,
        section.keys.filter(({ key }) => keys.includes(key)),
      ),
      ...properties,
    },
    ...rules,
  })
  return {
    type: 'object',
    title: section.title,
    description: section.summary,
    required: requiredKeys(section),
    properties: keySchemas(section, common),
    ...variants.reduceRight<JsonSchema>(
      (otherwise, variant) => when(variant.isMeant, variantSchema(variant), otherwise),
      variantSchema(undecided),
    ),
  }
}
