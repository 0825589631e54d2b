import type { ValidateFunction } from 'ajv'
import { compileOwn } from './ajv.ts'
import { shapeSchema } from './shape-schema.ts'

/** Answers with a validator that finds everything that is wrong with the shape of this runbook. */
export type FindShapeValidator = (runbook: unknown) => ValidateFunction

/**
 * The first validator knows the keys of the first runbook alone, and often there is no second one: compiling what
 * the language has beside them would take longer than all that a short runbook needs.
 */
export function createShapeValidators(): FindShapeValidator {
  let first: { readonly keys: ReadonlySet<string>; readonly validate: ValidateFunction } | undefined
  let whole: ValidateFunction | undefined

  return (runbook) => {
    if (whole) return whole
    const keys = new Set<string>()
    collectKeys(runbook, keys)
    if (!first) {
      first = { keys, validate: compileOwn(shapeSchema(keys)) }
      return first.validate
    }
    for (const key of keys) {
      if (first.keys.has(key)) continue
      whole = compileOwn(shapeSchema())
      return whole
    }
    return first.validate
  }
}

function collectKeys(value: unknown, keys: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    if (!Array.isArray(value)) keys.add(key)
    collectKeys(member, keys)
  }
}
