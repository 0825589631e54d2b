import { errorRule } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { RunbookError } from '../../core/run-error.ts'
import { damagedDatabase, isDamage } from '../../engine/index.ts'
import { CommandError } from '../command-error.ts'

/** An error for programs. */
export interface ErrorFacts {
  readonly code: string
  readonly message: string
  readonly request_id?: string
  /** What was found, as a command prints it. */
  readonly details?: string
  /** The findings about a runbook, as those of `validate --output json`. */
  readonly diagnostics?: readonly JsonObject[]
  /** What to do about it. */
  readonly hints: readonly string[]
}

/** What an error says to programs. One that nobody expects is an `InternalDefect`. */
export function errorFacts(thrown: unknown): ErrorFacts {
  const error = namingDamage(thrown)
  if (error instanceof CommandError) {
    const { code, message, hints, details, diagnostics } = error
    const text = details === undefined ? {} : { details }
    return { code, ...(diagnostics === undefined ? text : { diagnostics }), message, hints }
  }
  if (RunbookError.is(error)) {
    const { code, message, requestId, next = errorRule(code).next } = error
    const id = requestId === undefined ? {} : { request_id: requestId }
    return { code, ...id, message, hints: next === '' ? [] : [next] }
  }
  const message = (error instanceof Error ? error.message : String(error)).replace(/^error: /, '')
  return {
    code: 'InternalDefect',
    message,
    hints: ['run the same command with --verbose for the stack trace'],
  }
}

/** Damage in the middle of the database shows only when a query reads it, outside of what opens the file. */
export function namingDamage(error: unknown): unknown {
  if (RunbookError.is(error) || !isDamage(error)) return error
  return damagedDatabase('opsbook.db', error.message, { cause: error })
}
