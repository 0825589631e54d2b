import type { ActionDescription, InputProblem, RateLimit } from '../../core/action.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { JsonObject, JsonSchema, JsonValue, ObjectSchema } from '../../core/json.ts'

export type { RateLimit }

/** One operation of the service: everything that the client, the actions and the docs know about it. */
export interface Operation<Input, Output> extends Omit<ActionDescription, 'input' | 'check'> {
  /** The document's number, or `catalog` for the tool catalog that E4 refers to. */
  readonly id: 'E1' | 'E2' | 'E3' | 'E4' | 'E5' | 'E6' | 'E7' | 'E8' | 'E9' | 'catalog'
  /**
   * The schema of the request body.
   *
   * Beyond JSON Schema it knows two keywords: `knownValues` and `knownMaxLength`, what the document lists and allows
   * where newer services accept more. Another value is a warning in the client and an error in the sandbox.
   */
  readonly input: ObjectSchema<Input>
  /** Rules beyond the schema; an empty list when all hold. The input has passed the schema. */
  readonly check?: (input: Input) => readonly InputProblem[]
  /** The body as it is sent, where the document wants a value said that authors may leave out. */
  readonly prepare?: (input: Input) => Input
  /** The document's shape, made from a shape that newer services answer with. */
  readonly normalize?: (data: JsonValue) => JsonValue
  /** A failure that the operation reports inside a successful envelope; reads the normalised data. */
  readonly failure?: (data: JsonValue) => OperationFailure | undefined
  /** Source: the API document, "Rate limits". */
  readonly limit: RateLimit
  /** What the key must be allowed to do. */
  readonly permission: string
  /** `json`: an envelope with `data`; `ndjson`: a stream of lines. */
  readonly answer: 'json' | 'ndjson'
  /** Only for the type of the output; never present. */
  readonly _output?: Output
}

/** An operation whose types are not known: what it is given has been checked by its own schema. */
// biome-ignore lint/suspicious/noExplicitAny: the functions of a record take checked input, whatever its type
export interface AnyOperation extends Omit<Operation<any, any>, 'input'> {
  readonly input: JsonSchema
}

/** A failure inside a success. */
export interface OperationFailure {
  readonly code: ErrorCode
  readonly message: string
  readonly details?: JsonObject
}
