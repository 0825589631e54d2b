import type { InputProblem } from '../../core/action.ts'
import { isJsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts'
import { integer, nonEmpty, string } from '../../core/write-schema.ts'
import type { OperationFailure } from './operation.ts'

/** The target of a tool. */
export interface Target {
  readonly kind: string
  readonly locator: string
}

export const targetLocatorSchema: JsonSchema = nonEmpty(
  'The monitored object, such as a host name; at most 256 bytes, no white space, no "|".',
  { pattern: '^[^\\s|\\u0000-\\u001f\\u007f-\\u009f]+$', examples: ['web-01'] },
)

export const targetKindSchema: JsonSchema = nonEmpty(
  'Kind of the object, where the locator alone is ambiguous.',
  { examples: ['host'] },
)

export const accountIdSchema: JsonSchema = integer(
  'Account that owns the object; another than the one of the key is refused.',
  { minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
)

export const targetSchema: JsonSchema = {
  type: 'object',
  description: 'What was looked at.',
  properties: {
    kind: string('Such as host.'),
    locator: string('As it was given.'),
  },
}

export function checkTargetLocator(input: { readonly target_locator: string }): readonly InputProblem[] {
  const bytes = Buffer.byteLength(input.target_locator)
  return bytes > 256
    ? [{ path: 'target_locator', message: `is ${bytes} bytes long; at most 256 are allowed` }]
    : []
}

/** The failure of a whole request about a target, from `data.error`. */
export function targetFailure(data: JsonValue): OperationFailure | undefined {
  const error = isJsonObject(data) ? data['error'] : undefined
  if (!isJsonObject(error)) return undefined
  const { code, message, ...details } = error
  return {
    code: String(code ?? 'internal'),
    message: typeof message === 'string' ? message : '',
    ...(Object.keys(details).length === 0 ? {} : { details }),
  }
}
