import type { BatchRule, InputProblem, Safety, SafetyRule } from '../../core/action.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { JsonObject, JsonSchema, ObjectSchema } from '../../core/json.ts'
import type { ActionLog, Artifacts } from '../action.ts'

/** The context of one attempt of a custom action. */
export interface ActionRunContext {
  /**
   * Aborted when the time for the attempt is over, or when the run stops and the action only reads. Pass it on: the
   * engine does not wait for an action after that.
   */
  readonly signal: AbortSignal
  /** The number of this attempt, from 1. */
  readonly attempt: number
  readonly log: ActionLog
  /** The folder for files of the run. */
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
  /**
   * What may be repeated when the outcome of a call is unknown; a `create` is never repeated without a
   * decision.
   */
  readonly safety: Safety
  /** Two arguments decide how safe a call is; a step writes them out. `safety` counts for a value that the rule lacks. */
  readonly safetyBy?: SafetyRule
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
   * The time for one attempt, in milliseconds; `attempt-timeout` of a step takes precedence.
   * @default 30000
   */
  readonly timeoutMs?: number
  /** The shortest time a step may give an attempt, in milliseconds. */
  readonly minimumTimeoutMs?: number
  /** The action writes a file, so a step needs `save-as`. */
  readonly savesFile?: 'always'
  /** How a person finds out whether a call with an unknown outcome was executed; `show` prints it. */
  readonly findOut?: string
  /** Codes of its own that it fails with, for the reference. */
  readonly errors?: readonly ErrorCode[]
  /**
   * Makes one attempt. What it throws fails the attempt: with its own code where the error has a PascalCase `code`,
   * such as a `RunbookError`, else with `ActionFailed`. Without a result there are no outputs.
   */
  run(input: NoInfer<Input>, context: ActionRunContext): Output | Promise<Output>
}

/** A definition whose types no longer matter. */
export type AnyDefinition = ActionDefinition<JsonObject, unknown>
