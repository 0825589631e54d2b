import type { BatchRule, InputProblem, Safety } from '../../core/action.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { JsonObject, JsonSchema, ObjectSchema } from '../../core/json.ts'
import type { ActionLog, Artifacts } from '../action.ts'

/** What an action of a project is given for one attempt. */
export interface ActionRunContext {
  /**
   * Aborts when the time for the attempt is over, or when the run stops and the action only reads. Hand it on:
   * nobody waits for an action after that.
   */
  readonly signal: AbortSignal
  /** The number of this attempt, from 1. */
  readonly attempt: number
  readonly log: ActionLog
  /** Where files of the run go. */
  readonly artifacts: Artifacts
  /** The step's `save-as`; pass it to `artifacts.fileFor`. */
  readonly saveAs?: string
}

/** The schema of arguments: of the very type where one is named, any JSON Schema of an object where none is. */
export type InputSchema<Input> = string extends keyof Input ? JsonSchema : ObjectSchema<Input>

/** An action as its author describes it. */
export interface ActionDefinition<Input extends object, Output> {
  /** What `uses` names: `namespace/name`, in a namespace that is not one of Opsbook's. */
  readonly name: string
  /** One line for people. */
  readonly summary: string
  /** What may happen when nobody knows whether a call was carried out; `create` is never repeated blindly. */
  readonly safety: Safety
  /** JSON Schema (draft 7) of the arguments, `type: 'object'`. */
  readonly input: InputSchema<Input>
  /** JSON Schema (draft 7) of the outputs, `type: 'object'`. Every answer is checked against it. */
  readonly output: JsonSchema
  /** Rules that the schema cannot say; an empty list when all hold. The input has passed the schema. */
  check?(input: NoInfer<Input>): readonly InputProblem[]
  /** An argument that takes more items than one call: steps give any number, the core splits and merges. */
  readonly batch?: BatchRule
  /** Arguments whose values are secrets: names joined by dots, `*` for any. */
  readonly sensitiveInput?: readonly string[]
  /** Outputs that logs and live views mask. */
  readonly sensitiveOutput?: readonly string[]
  /**
   * The time for one attempt, in milliseconds; a step's `attempt-timeout` goes before it.
   * @default 30000
   */
  readonly timeoutMs?: number
  /** The shortest time a step may give an attempt, in milliseconds. */
  readonly minimumTimeoutMs?: number
  /** The action writes a file, so a step needs `save-as`. */
  readonly savesFile?: 'always'
  /** How a person finds out whether a call was carried out that nobody has an answer to; `show` tells it. */
  readonly findOut?: string
  /** Codes of its own that it fails with, for the reference. */
  readonly errors?: readonly ErrorCode[]
  /**
   * Makes one attempt. What it throws fails the attempt: with its own code where the error has a PascalCase `code`,
   * such as a `RunbookError`, else with `ActionFailed`. Nothing is nothing: no outputs.
   */
  run(input: NoInfer<Input>, context: ActionRunContext): Output | Promise<Output>
}

/** A definition whose types no longer matter. */
export type AnyDefinition = ActionDefinition<JsonObject, unknown>
