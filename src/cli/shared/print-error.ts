import { CommanderError } from 'commander'
import { errorRule } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { RunbookError } from '../../core/run-error.ts'
import { damagedDatabase, isDamage } from '../../engine/index.ts'
import { CommandError, type Paint } from '../../project/index.ts'
import { printable, printableLine } from '../../project/text/index.ts'
import { type ExitCode, exitCodeOfError, exitCodes } from './exit-codes.ts'

/** An error as text, with its exit code. */
export interface PrintedError {
  readonly lines: readonly string[]
  readonly exitCode: ExitCode
}

/** A mistake is one message and what to do. An unexpected error is one line, with its stack only if `isVerbose`. */
export function printError(thrown: unknown, paint: Paint, isVerbose: boolean): PrintedError {
  const error = namingDamage(thrown)
  const head = paint.red(paint.bold('error:'))
  if (error instanceof CommandError) {
    const details = error.details === undefined ? [] : [error.details]
    const hints = error.hints.map((hint) => `  ${printableLine(hint)}`)
    return {
      lines: [...details, `${head} ${printable(error.message)}`, ...hints],
      exitCode: exitCodes[error.kind],
    }
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
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return {
    lines: [
      `${head} unexpected error: ${printableLine(message)}`,
      ...(isVerbose ? stackOf(error) : ['  run the same command with --verbose for the stack trace']),
    ],
    exitCode: exitCodes.failed,
  }
}

/** An error as the answer of a command whose output is JSON. */
export interface PrintedErrorJson {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly request_id?: string
    /** What the command found, as it prints it. */
    readonly details?: string
    /** The findings about a runbook, as those of `validate --output json`. */
    readonly diagnostics?: readonly JsonObject[]
    /** What to do about it. */
    readonly hints: readonly string[]
  }
  readonly exit_code: number
}

/** The error as a document. */
export function errorDocument(
  thrown: unknown,
  exitCode: ExitCode,
  hints: readonly string[] = [],
): PrintedErrorJson {
  const error = namingDamage(thrown)
  const of = (
    code: string,
    message: string,
    advice: readonly string[],
    more: object = {},
  ): PrintedErrorJson => ({
    error: { code, ...more, message, hints: advice },
    exit_code: exitCode,
  })
  if (error instanceof CommandError) {
    const { code, message, hints: advice, details, diagnostics } = error
    const text = details === undefined ? {} : { details }
    return of(code, message, advice, diagnostics === undefined ? text : { diagnostics })
  }
  if (RunbookError.is(error)) {
    const { code, message, requestId, next = errorRule(code).next } = error
    const more = requestId === undefined ? {} : { request_id: requestId }
    return of(code, message, next === '' ? [] : [next], more)
  }
  const message = (error instanceof Error ? error.message : String(error)).replace(/^error: /, '')
  if (error instanceof CommanderError) return of('InvalidUsage', message, hints)
  return of('InternalDefect', message, ['run the same command with --verbose for the stack trace'])
}

function nextLines({ code, next = errorRule(code).next }: RunbookError): readonly string[] {
  return next === '' ? [] : [`  next        ${printableLine(next)}`]
}

/** Damage in the middle of the database shows only when a query reads it, outside of what opens the file. */
function namingDamage(error: unknown): unknown {
  if (RunbookError.is(error) || !isDamage(error)) return error
  return damagedDatabase('opsbook.db', error.message, { cause: error })
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
