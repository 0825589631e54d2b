import type { ExitCode } from './exit-codes.ts'

/** What a mistake of the user, or a lack of the machine, is reported with. */
export interface CommandErrorOptions {
  /** What to do about it; one line each. */
  readonly hints?: readonly string[]
  /** Printed under the message as it stands, such as the findings about a file. */
  readonly details?: string
  readonly cause?: unknown
}

/** Ends a command with a message for people and an exit code. Never shown with a stack trace. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: ExitCode
  readonly hints: readonly string[]
  readonly details: string | undefined

  constructor(exitCode: ExitCode, message: string, options: CommandErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.exitCode = exitCode
    this.hints = options.hints ?? []
    this.details = options.details
  }
}
