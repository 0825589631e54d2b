import type { ValidateFunction } from 'ajv'

/**
 * Validators of the inputs and outputs of calls, by the JSON of the schema. The build puts those that
 * `scripts/compile-schemas.ts` compiles in the place of this module, because a run would wait for Ajv at its first call.
 */
export const compiledSchemas: ReadonlyMap<string, ValidateFunction> = new Map()
