import type { JsonSchema } from '../../core/json.ts'
import type { Place } from '../language/index.ts'
import { keySchemas, requiredKeys } from './place-schema.ts'

/** One kind of a place that has several, each with keys of its own. */
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
 * A place of several kinds: editors offer and take only the keys of the kind that is meant, and before that is clear,
 * those that `undecided` names.
 */
export function variantsSchema(place: Place, variants: readonly Variant[], undecided: Variant): JsonSchema {
  const special = new Set([...variants, undecided].flatMap(({ keys }) => keys))
  const common = place.keys.filter(({ key }) => !special.has(key))
  const variantSchema = ({ keys, rules = {}, properties = {} }: Variant): JsonSchema => ({
    title: place.title,
    additionalProperties: false,
    properties: {
      ...Object.fromEntries(common.map(({ key }) => [key, true])),
      ...keySchemas(
        place,
        place.keys.filter(({ key }) => keys.includes(key)),
      ),
      ...properties,
    },
    ...rules,
  })
  return {
    type: 'object',
    title: place.title,
    description: place.summary,
    required: requiredKeys(place),
    properties: keySchemas(place, common),
    ...variants.reduceRight<JsonSchema>(
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      (otherwise, variant) => ({ if: variant.isMeant, then: variantSchema(variant), else: otherwise }),
      variantSchema(undecided),
    ),
  }
}
