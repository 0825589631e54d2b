import type { JsonValue } from '../json.ts'
import type { Machine } from './machine.ts'
import type { Kind, ValueType } from './value-type.ts'

/** One argument of a function. */
export interface Parameter {
  readonly name: string
  readonly kinds: readonly Kind[]
  /** For lists: what the items must be. */
  readonly items?: readonly Kind[]
  /**
   * What is wrong with a value of the right kind; asked at load where the value is written out. `others`: all arguments,
   * as far as they are written out.
   */
  readonly check?: (value: JsonValue, others: readonly (JsonValue | undefined)[]) => string | undefined
}

/** One function. Called as `name(a, b)` or, the same, `a.name(b)`. */
export interface ExpressionFunction {
  readonly name: string
  readonly parameters: readonly Parameter[]
  /** How many of the last parameters may be left out. */
  readonly optional?: number
  /** What it gives, where that does not depend on the arguments. */
  readonly result: ValueType
  /** The type of its value for these arguments, where it depends on them. */
  readonly resultOf?: (types: readonly ValueType[]) => ValueType
  readonly summary: string
  /** An expression that is true. */
  readonly example: string
  /** Its value, for arguments of the right kinds. Counts on the machine what it does before it does it. */
  readonly evaluate: (values: readonly JsonValue[], machine: Machine) => JsonValue
}
