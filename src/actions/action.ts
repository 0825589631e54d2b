import type { CallWait, Client } from '../api/index.ts'
import type { ActionDescription, InputProblem } from '../core/action.ts'
import type { LogLevel } from '../core/events.ts'
import type { JsonObject, JsonValue } from '../core/json.ts'
import type { Masking } from '../core/mask/mask.ts'

/** Where files that actions write go. */
export interface Artifacts {
  /** Absolute path of the folder of the run. */
  readonly folder: string
  /**
   * The file for a `save-as` name; its folder exists. Rejects with `InvalidInput` for a name that would leave the
   * folder of the run or that another step of the run has taken, and with `FileNotWritten` where the folder cannot be
   * made.
   */
  fileFor(name: string): Promise<string>
}

/**
 * Where an action says what it does. A line is shown and logged with the run; `data` goes to the log only, and what
 * JSON cannot hold of it is null there.
 */
export type ActionLog = Readonly<Record<LogLevel, (message: string, data?: unknown) => void>>

/** What an action is given for one attempt. */
export interface ActionContext {
  /** The client of the step's connection, which is opened when it is first asked for. */
  readonly connect: () => Promise<Client>
  readonly artifacts: Artifacts
  /** Ends the attempt wherever it is. Never aborted for an action that changes something. */
  readonly signal: AbortSignal
  /** Ends the attempt as long as nothing of it was sent. */
  readonly signalBeforeSending: AbortSignal
  /**
   * To be awaited by an action of the safety `create` when only the sending is left to do. Rejects where the attempt is
   * not wanted any more: then nothing may be sent.
   */
  readonly beforeSending: () => Promise<void>
  /** The number of this attempt, for the log. */
  readonly attempt: number
  readonly saveAs?: string | undefined
  readonly timeoutMs?: number | undefined
  readonly onWait: (wait: CallWait) => void
  /** Told when the attempt waits no longer. */
  readonly onWaitOver: () => void
  readonly log: ActionLog
  /** Hides the secrets of the run: for what an action writes to a file by itself, as it comes. */
  readonly mask: Masking
}

/** What one attempt answered. */
export interface ActionAnswer {
  readonly output: JsonValue
  readonly requestId?: string | undefined
  readonly warnings?: readonly string[] | undefined
}

/** An action that can be called: its description and its one attempt. */
export interface Action extends ActionDescription {
  /** Everything about the arguments that can be known before the call; an empty list when all is well. */
  checkInput(input: JsonObject): readonly InputProblem[]
  /** Makes one attempt; throws a `RunbookError`. */
  run(input: JsonObject, context: ActionContext): Promise<ActionAnswer>
}
