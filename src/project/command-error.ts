import type { JsonObject } from '../core/json.ts'

/** The code of an error that names none itself, by its kind. */
const codes = {
  failed: 'CommandFailed',
  /** Wrong usage, an invalid runbook or invalid inputs: nothing was sent. */
  usage: 'InvalidUsage',
  /** Something is missing on this machine or its network: a server, a key, a writable folder. */
  environment: 'EnvironmentUnusable',
  interrupted: 'Interrupted',
} as const

/** Why a command ends without a result. Its exit code follows from that. */
export type CommandErrorKind = keyof typeof codes

/** Details of a mistake of the user, or of something that this machine lacks. */
export interface CommandErrorOptions {
  /**
   * The code by which programs recognise it.
   * @default by the kind
   */
  readonly code?: CommandErrorCode
  /** What to do about it, one line each. */
  readonly hints?: readonly string[]
  /** Printed above the message without changes, such as the findings about a file. */
  readonly details?: string
  /** The same findings, for programs. */
  readonly diagnostics?: readonly JsonObject[]
  readonly cause?: unknown
}

/** Ends what a person or a program has asked for, with a message. Never shown with a stack trace. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: CommandErrorCode
  readonly kind: CommandErrorKind
  readonly hints: readonly string[]
  readonly details: string | undefined
  readonly diagnostics: readonly JsonObject[] | undefined

  constructor(kind: CommandErrorKind, message: string, options: CommandErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = options.code ?? codes[kind]
    this.kind = kind
    this.hints = options.hints ?? []
    this.details = options.details
    this.diagnostics = options.diagnostics
  }
}

/** Why a command is refused, with what it means: codes that no run and no call has. */
export const commandErrors = {
  InvalidUsage: 'The command line, or the state of what it names, does not allow the command.',
  InvalidRunbook: 'The runbook has errors. `opsbook validate` shows all findings.',
  InvalidConfiguration: '`opsbook.yaml`, or a file that it names, has errors.',
  RunNotFound:
    'There is no such run in this data directory, or on this task queue. `opsbook runs` lists them.',
  StepNotFound:
    'The run has no such step, or it was not begun. `opsbook show RUN --full` lists those that were.',
  RunbookNotFound: 'There is no such runbook or file.',
  ActionNotFound: 'There is no such action. `opsbook actions` lists them.',
  EventNotFound: 'There is no such event. `opsbook events` lists them.',
  ScheduleNotFound: 'There is no such schedule. `opsbook schedules` lists them.',
  ConnectionNotFound: '`opsbook.yaml` has no connection of this name.',
  EnvironmentUnusable:
    'Something is missing on this machine or its network, such as a key or a folder. `opsbook doctor` checks this machine.',
} as const

/** The codes by which programs recognise errors of a command, as opposed to errors of a run. */
export type CommandErrorCode = keyof typeof commandErrors | 'InvalidInput' | 'Interrupted' | 'CommandFailed'

/** Refuses an empty word on the command line, which usually is an unset variable. */
export function refuseEmpty(word: string, what: string): void {
  if (word.trim() !== '') return
  throw new CommandError('usage', `${what} is empty: is a variable not set?`)
}
