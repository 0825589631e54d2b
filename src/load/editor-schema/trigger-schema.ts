import type { JsonSchema } from '../../core/json.ts'
import { places, triggerKeys } from '../language/index.ts'
import { type Variant, variantsSchema } from './variants.ts'

/** A trigger: which keys it takes depends on its type. */
export function triggerSchema(): JsonSchema {
  const types = Object.keys(triggerKeys) as (keyof typeof triggerKeys)[]
  const variants = types.map(
    (type): Variant => ({
      isMeant: { properties: { type: { const: type } }, required: ['type'] },
      keys: triggerKeys[type],
      ...(type === 'schedule' ? { rules: oneSchedule } : {}),
    }),
  )
  return variantsSchema(places.trigger, variants, { isMeant: {}, keys: [] })
}

/** With `cron`, `every` is refused by name; with neither, both are asked for. */
const oneSchedule: JsonSchema = {
  anyOf: [{ required: ['cron'] }, { required: ['every'] }],
  dependencies: { cron: { properties: { every: false } } },
}
