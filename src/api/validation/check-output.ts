import type { ErrorObject } from 'ajv'
import type { InputProblem } from '../../core/action.ts'
import { isJsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts'
import type { AnyOperation } from '../operations/operation.ts'
import { validatorOf } from './check-input.ts'
import { apiProblems } from './schema-problems.ts'

/** What the check of an answer found, with paths that start at `data`. */
export interface CheckedOutput {
  /** A required field is missing or wrong. */
  readonly broken?: InputProblem
  /** Warnings. */
  readonly warnings: readonly string[]
}

const fine: CheckedOutput = { warnings: [] }

/**
 * Checks an answer. A required field must exist and have its type; an optional field of another type is a warning; an
 * unknown field is accepted.
 */
export function checkOutput(operation: AnyOperation, data: JsonValue): CheckedOutput {
  const validate = validatorOf(operation.output)
  if (validate(data)) return fine
  const errors = (validate.errors ?? []).filter((error) => !isBigInteger(error))
  const required = errors.filter((error) => isRequired(error, operation.output))
  const [broken] = apiProblems(required, data)
  // Null for an optional field is as good as its absence.
  const optional = apiProblems(
    errors.filter((error) => error.data !== null),
    data,
  )
  return {
    ...(broken ? { broken: { path: inData(broken.path), message: broken.message } } : {}),
    warnings: optional.map(({ path, message }) => `in the answer, ${inData(path)} ${message}`),
  }
}

function inData(path: string): string {
  return path === '' ? 'data' : `data${path.startsWith('[') ? '' : '.'}${path}`
}

/** Integers beyond 2^53 have become text by now, and have their own warning. */
function isBigInteger({ keyword, data, params }: ErrorObject): boolean {
  const types: readonly unknown[] = [params['type']].flat()
  return (
    keyword === 'type' && typeof data === 'string' && /^-?\d{16,}$/.test(data) && types.includes('integer')
  )
}

/** Whether an error concerns a required field, an item of a list, or the answer itself. */
function isRequired({ keyword, schemaPath }: ErrorObject, schema: JsonSchema): boolean {
  if (keyword === 'required') return true
  const steps = schemaPath.slice('#/'.length).split('/')
  if (steps.at(-3) !== 'properties') return true
  let holder: unknown = schema
  for (const step of steps.slice(0, -3)) holder = isJsonObject(holder) ? holder[step] : undefined
  const required: unknown = isJsonObject(holder) ? holder['required'] : undefined
  return Array.isArray(required) && required.includes(steps.at(-2))
}
