import type { ValidateFunction } from 'ajv'

/**
 * Validators of our own schemas, by the JSON of the schema. The build puts those that `scripts/compile-schemas.ts`
 * compiles in the place of this module, because to compile them takes longer than to load a runbook.
 */
export const compiledSchemas: ReadonlyMap<string, ValidateFunction> = new Map()
