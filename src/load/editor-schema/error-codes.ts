import { errorRules } from '../../core/errors.ts'
import type { JsonSchema } from '../../core/json.ts'

/** An error code: the known ones are completed with what they mean, and others are taken, since services have more. */
export function errorCodeSchema(more: Readonly<Record<string, string>> = {}): JsonSchema {
  const known = Object.entries(errorRules).map(([code, { explanation }]) => [code, explanation] as const)
  const all = [...Object.entries(more), ...known]
  return {
    anyOf: [
      { enum: all.map(([code]) => code), enumDescriptions: all.map(([, explanation]) => explanation) },
      { type: 'string', minLength: 1 },
    ],
  }
}
