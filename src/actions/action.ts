import type { CallWait, Client } from '../api/index.ts'
import type { ActionDescription, InputProblem } from '../core/action.ts'
import type { LogLevel } from '../core/events.ts'
import type { JsonObject, JsonValue } from '../core/json.ts'
import type { Masking } from '../core/mask/index.ts'
import type { HttpConnection } from './http/connection/http-connection.ts'

/** The folder for files that actions write. */
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
 * The log of an action. A line is shown and logged with the run; `data` only goes to the log, with null for what JSON
 * cannot hold.
 */
export type ActionLog = Readonly<Record<LogLevel, (message: string, data?: unknown) => void>>

/** One line of the log of an action, as JSON can hold it. */
export type LogLine = (level: LogLevel, message: string, data?: JsonValue) => void

/** The context of one attempt. */
export interface ActionContext {
  /** The client of the step's connection, which is opened when it is first asked for. */
  readonly connect: () => Promise<Client>
  /** The HTTP connection that the step names. Left out: it names none. */
  readonly connectHttp?: (() => Promise<HttpConnection>) | undefined
  /** Hides a value in everything that the run records from now on. */
  readonly hide: (secret: string) => void
  readonly artifacts: Artifacts
  /** Ends the attempt at any time. Never aborted for an action that changes something. */
  readonly signal: AbortSignal
  /** Ends the attempt as long as nothing of it was sent. */
  readonly signalBeforeSending: AbortSignal
  /**
   * An action of the safety `create` awaits it directly before sending. Rejects where the attempt is no longer
   * wanted: then nothing may be sent. `unsent` is aborted where the request did not leave after all.
   */
  readonly beforeSending: (unsent?: AbortSignal) => Promise<void>
  /** The number of this attempt, for the log. */
  readonly attempt: number
  readonly saveAs?: string | undefined
  readonly timeoutMs?: number | undefined
  readonly onWait: (wait: CallWait) => void
  /** Called when the attempt has stopped waiting. */
  readonly onWaitOver: () => void
  readonly log: LogLine
  /** Masks the secrets of the run in a file that the action streams. */
  readonly mask: Masking
}

/** The answer of one attempt. */
export interface ActionAnswer {
  readonly output: JsonValue
  readonly requestId?: string | undefined
  readonly warnings?: readonly string[] | undefined
}

/** An action that can be called: its description and its one attempt. */
export interface Action extends ActionDescription {
  /** Everything about the arguments that can be known before the call; an empty list when all is well. */
  checkInput(input: JsonObject): readonly InputProblem[]
  /**
   * Makes one attempt. Throws a `RunbookError`. The action itself checks the arguments, once, before it does anything
   * with them: `InvalidInput`. The client does so for operations.
   */
  run(input: JsonObject, context: ActionContext): Promise<ActionAnswer>
}
