import { errorRule } from '../core/errors.ts'
import { RunbookError } from '../core/run-error.ts'
import { CommandError } from './command-error.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { exitCodeOfError } from './run-exit-code.ts'
import type { Paint } from './terminal/paint.ts'
import { printable, printableLine } from './terminal/printable.ts'

/** An error as the lines that people see, and the exit code that goes with it. */
export interface PrintedError {
  readonly lines: readonly string[]
  readonly exitCode: ExitCode
}

/** A mistake is one message and what to do; anything unexpected is one line, and its origin only when asked for. */
export function printError(error: unknown, paint: Paint, isVerbose: boolean): PrintedError {
  const head = paint.red(paint.bold('error:'))
  if (error instanceof CommandError) {
    const details = error.details === undefined ? [] : [error.details]
    const hints = error.hints.map((hint) => `  ${printableLine(hint)}`)
    return { lines: [...details, `${head} ${printable(error.message)}`, ...hints], exitCode: error.exitCode }
  }
  if (RunbookError.is(error)) {
    return {
      lines: [
        `${head} ${paint.bold(error.code)}: ${printableLine(error.message)}`,
        ...(error.requestId === undefined ? [] : [`  request id  ${printableLine(error.requestId)}`]),
        ...nextLines(error),
        ...(isVerbose ? stackOf(error) : []),
      ],
      exitCode: exitCodeOfError(error.code),
    }
  }
  if (isDamagedDatabase(error)) {
    return {
      lines: [
        `${head} the database of the data directory is damaged: ${printableLine(error.message)}`,
        '  restore the directory from a backup, or move it away and begin with an empty one',
        '  "sqlite3 opsbook.db .recover" rescues what can still be read',
      ],
      exitCode: exitCodes.environment,
    }
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return {
    lines: [
      `${head} something unexpected went wrong: ${printableLine(message)}`,
      ...(isVerbose ? stackOf(error) : ['  run the same command with --verbose to see where']),
    ],
    exitCode: exitCodes.failed,
  }
}

/** An error as the answer of a command whose output is JSON. */
export interface ErrorDocument {
  readonly error: {
    readonly code?: string
    readonly message: string
    readonly request_id?: string
    /** What was found, such as the findings about a file. */
    readonly details?: string
    /** What to do about it. */
    readonly hints: readonly string[]
  }
  readonly exit_code: number
}

/** The same error for programs. */
export function errorDocument(error: unknown, exitCode: ExitCode): ErrorDocument {
  const of = (message: string, hints: readonly string[], more: object = {}): ErrorDocument => ({
    error: { ...more, message, hints },
    exit_code: exitCode,
  })
  if (error instanceof CommandError) {
    const { message, hints, details } = error
    return of(message, hints, details === undefined ? {} : { details })
  }
  if (RunbookError.is(error)) {
    const { code, message, requestId, next = errorRule(code).next } = error
    const more = { code, ...(requestId === undefined ? {} : { request_id: requestId }) }
    return of(message, next === '' ? [] : [next], more)
  }
  return of((error instanceof Error ? error.message : String(error)).replace(/^error: /, ''), [])
}

function nextLines({ code, next = errorRule(code).next }: RunbookError): readonly string[] {
  return next === '' ? [] : [`  next        ${printableLine(next)}`]
}

/** What was written is not what is read. Not every error of the library has the number of SQLite. */
function isDamagedDatabase(error: unknown): error is Error {
  const isOfSqlite = error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'
  return isOfSqlite && /malformed|not a database|corrupt/.test(error.message)
}

function stackOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return []
  const cause = error.cause === undefined ? [] : ['caused by:', ...stackOf(error.cause)]
  return [
    ...printable(error.stack ?? '')
      .split('\n')
      .slice(1),
    ...cause,
  ]
}
