import type { ErrorCode } from './errors.ts'
import type { JsonObject, JsonSchema, JsonValue } from './json.ts'

/**
 * What may happen when the outcome of a call is unclear (no answer, a broken one, a 5xx).
 *
 * - `read`: changes nothing; repeat.
 * - `idempotent`: sending it twice has the effect of once; repeat. If the repeat is refused, the outcome is unknown.
 * - `create`: never repeat blindly; the outcome is unknown.
 */
export type Safety = 'read' | 'idempotent' | 'create'

/** Arguments that say how safe a call is, as data. A runbook writes them out, so that its plan knows. */
export interface SafetyRule {
  /** Names the safety itself, where it is given. */
  readonly argument: string
  /** Decides where that one is not given. */
  readonly by: string
  /** What each of its values means; any other means the `safety` of the action. */
  readonly values: Readonly<Record<string, Safety>>
  /** What it means that both are left out. */
  readonly leftOut: Safety
}

/** An argument that takes more items than one call allows, as data: the core splits and merges. */
export interface BatchRule {
  /** The argument that holds the items. */
  readonly argument: string
  /** How many items one call takes. */
  readonly size: number
  /** The output that holds the results. */
  readonly results: string
  /** `results[i]` answers item `i`, and a list of another length is an `InvalidAnswer`. */
  readonly isPositional: boolean
  /** The field of a result that holds the item's own error (`code`, `message`), if items can fail one by one. */
  readonly itemError?: string
  /** The field of a result that names its item; in an item that is an object, its name too. */
  readonly itemKey?: string
  /** What a result holds, besides name and error, when its group got no answer. */
  readonly emptyResult?: JsonObject
}

/** A rule that a schema cannot say, broken. */
export interface InputProblem {
  /** Where in the input, such as `tools[2].params`; empty for the whole. */
  readonly path: string
  readonly message: string
}

/** How often something may be called; a window that is left out limits nothing. */
export interface CallWindows {
  readonly perSecond?: number
  readonly perMinute?: number
  readonly perDay?: number
}

/** A limit that all calls over one HTTP connection share. */
export interface ConnectionLimit extends CallWindows {
  readonly per: 'connection'
}

/** How often an action may be called, and who shares the count. */
export interface RateLimit extends CallWindows {
  /** `account`: all keys of the account share the windows; `app_key`: each key has its own. */
  readonly per: 'account' | 'app_key'
  readonly perSecond: number
  readonly perMinute: number
  readonly perDay?: number
}

/** What is known about an action without running it: dispatch, validation, `plan`, editor help and docs read it. */
export interface ActionDescription {
  /** What `uses` names, such as `monit/tools/invoke`. */
  readonly name: string
  /** One line for people. */
  readonly summary: string
  readonly input: JsonSchema
  readonly output: JsonSchema
  /** How safe every call is; with `safetyBy`, how safe a call is that the rule does not name. */
  readonly safety: Safety
  /** The arguments of a call decide how safe it is. */
  readonly safetyBy?: SafetyRule
  /** Sends nothing to the service: which connection a step names makes no difference. */
  readonly usesNoConnection?: true
  /** Calls another system over an HTTP connection: always this one, or the one that the step names, if any. */
  readonly overHttp?: { readonly connection?: string }
  /** Runs on this machine and sends nothing. */
  readonly isLocal?: true
  /** This process works in a sandbox, which the action would leave: a run that can reach a call of it is refused. */
  readonly isRefused?: true
  /** How often it may be called. Left out: without a limit. */
  readonly limit?: RateLimit | ConnectionLimit
  /** What the key must be allowed to do, for people. */
  readonly permission?: string
  /** Rules beyond the schema; an empty list when all hold. The input has passed the schema. */
  readonly check?: (input: JsonObject) => readonly InputProblem[]
  /**
   * What the configuration of this process forbids, by the arguments that are known: an argument that only the run will
   * bring is left out, and `isKnown` is false for it.
   */
  readonly forbidden?: (input: JsonObject, isKnown: (argument: string) => boolean) => readonly InputProblem[]
  /** Fields of the input whose values are secrets: names joined by dots, `*` for any. */
  readonly sensitiveInput?: readonly string[]
  /** Fields of the input that name a secret in the runbook, written alike; the action is given its value. */
  readonly secretNames?: readonly string[]
  /** The same, where the holder of the name can be another value: an expression there is no secret. */
  readonly optionalSecretNames?: readonly string[]
  /** Arguments that are parts of an address: each value that stands inside their text is percent-encoded. */
  readonly addressInput?: readonly string[]
  /** Fields of the output that logs and live views mask. */
  readonly sensitiveOutput?: readonly string[]
  readonly batch?: BatchRule
  /** Calls with equal values at these places go one at a time, across runs. */
  readonly serialize?: readonly string[]
  /** The shortest time one attempt may be given, in milliseconds. */
  readonly minimumTimeoutMs?: number
  /**
   * The time one attempt is given when nothing else is said, in milliseconds. Over {@link longestUsualAttemptMs} it
   * becomes a part of the plan.
   */
  readonly defaultTimeoutMs: number
  /**
   * The action can write its output to a file (`save-as`), and needs one if `always`. `itself`: where a step names a file,
   * the action writes it as its data comes, and its output is what the file is.
   */
  readonly savesFile?: 'always' | 'itself' | 'never'
  /** How a person finds out whether a call without an answer was executed. */
  readonly findOut?: string
  /** Arguments for an example, where those that are required make none. */
  readonly example?: JsonObject
  /** Error codes that are this action's own, for docs and completion. */
  readonly errors?: readonly ErrorCode[]
}

/** An action of which no more is known, or needed. */
export function bareAction(name: string, safety: Safety): ActionDescription {
  return { name, safety, summary: '', input: {}, output: {}, defaultTimeoutMs: 0 }
}

/** What the name of an action of a project looks like: its namespace is none of Opsbook's. */
export const ownActionName: RegExp = /^[a-z][a-z0-9_-]*(\/[a-z][a-z0-9_-]*)+$/

/** The time that one attempt of most actions is given, in milliseconds. */
export const usualTimeoutMs: number = 30_000

/** The longest attempt whose plan names no time, in milliseconds: engines set their own bounds by it. */
export const longestUsualAttemptMs: number = 90_000

/**
 * Whether a call of the action can reach anything but the service: true for `core/http` and for every action of a
 * project, whose code nothing can check.
 */
export function reachesOutside({
  usesNoConnection,
  isLocal,
}: Pick<ActionDescription, 'usesNoConnection' | 'isLocal'>): boolean {
  return usesNoConnection === true && isLocal !== true
}

type Judged = Pick<ActionDescription, 'safety' | 'safetyBy'>

/** How safe a call with these arguments is. */
export function safetyOf(
  { safety, safetyBy }: Judged,
  input: Readonly<Record<string, JsonValue | undefined>>,
): Safety {
  if (!safetyBy) return safety
  const named = input[safetyBy.argument]
  if (named === 'read' || named === 'idempotent' || named === 'create') return named
  const value = input[safetyBy.by]
  if (value === undefined) return safetyBy.leftOut
  return typeof value === 'string' ? valueSafety(safetyBy, value, safety) : safety
}

function valueSafety({ values }: SafetyRule, value: string, otherwise: Safety): Safety {
  return Object.hasOwn(values, value) ? (values[value] ?? otherwise) : otherwise
}
