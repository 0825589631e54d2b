import { CommanderError } from 'commander'
import { errorRule } from '../../core/errors.ts'
import { RunbookError } from '../../core/run-error.ts'
import { type ErrorFacts, errorFacts, kindOfError, namingDamage } from '../../project/errors/index.ts'
import { CommandError, type Paint } from '../../project/index.ts'
import { printable, printableLine } from '../../project/text/index.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'

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
      exitCode: exitCodes[kindOfError(error.code)],
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
  readonly error: ErrorFacts
  readonly exit_code: number
}

/** The error as a document. `hints`: of a command line that cannot be read. */
export function errorDocument(
  error: unknown,
  exitCode: ExitCode,
  hints: readonly string[] = [],
): PrintedErrorJson {
  const facts =
    error instanceof CommanderError
      ? { code: 'InvalidUsage', message: error.message.replace(/^error: /, ''), hints }
      : errorFacts(error)
  return { error: facts, exit_code: exitCode }
}

function nextLines({ code, next = errorRule(code).next }: RunbookError): readonly string[] {
  return next === '' ? [] : [`  next        ${printableLine(next)}`]
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
