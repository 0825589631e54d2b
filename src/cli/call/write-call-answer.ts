import { stringify } from 'yaml'
import type { ActionDescription } from '../../core/action.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { createMask } from '../../core/mask/mask.ts'
import { RunbookError } from '../../core/run-error.ts'
import type { CallOptions } from '../commands/call.ts'
import { answer, answerJson, type CommandContext, tell } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { printError } from '../print-error.ts'
import { hideFields } from '../record/learn-secrets.ts'
import { exitCodeOfError } from '../run-exit-code.ts'
import { printable, printableLine } from '../terminal/printable.ts'
import type { CallOutcome } from './make-call.ts'

/** Writes what a call came to: the whole answer on stdout, what went wrong on stderr. */
export function writeCallAnswer(
  context: CommandContext,
  operation: Pick<ActionDescription, 'name' | 'sensitiveOutput'>,
  outcome: CallOutcome,
  { output, reveal }: CallOptions,
  appKey: string,
): ExitCode {
  const exitCode = exitCodeOf(outcome)
  const mask = createMask([appKey])
  if (output === 'json') {
    const { outputs, error, requestIds, warnings } = outcome
    const status =
      exitCode === exitCodes.succeeded ? 'succeeded' : exitCode === exitCodes.undecided ? 'unknown' : 'failed'
    const document = {
      action: operation.name,
      status,
      ...(outputs === undefined ? {} : { outputs }),
      ...(error === undefined ? {} : { error }),
      request_ids: requestIds,
      warnings,
    }
    answerJson(context, mask.value(document as unknown as JsonObject))
    return exitCode
  }
  if (!reveal) hideFields(mask, outcome.outputs, operation.sensitiveOutput ?? [])
  writeText(context, outcome, mask)
  return exitCode
}

function exitCodeOf({ error, outputs }: CallOutcome): ExitCode {
  if (error) return exitCodeOfError(error.code)
  return failedItems(outputs) > 0 ? exitCodes.failed : exitCodes.succeeded
}

function failedItems(outputs: CallOutcome['outputs']): number {
  const failed = isJsonObject(outputs) ? outputs['failed'] : 0
  return typeof failed === 'number' ? failed : 0
}

function writeText(context: CommandContext, outcome: CallOutcome, mask: ReturnType<typeof createMask>): void {
  const { outputs, error, warnings } = outcome
  const { errorPaint } = context
  if (outputs !== undefined) {
    const masked = mask.value(outputs)
    answer(context, printable(stringify(masked, { lineWidth: 0 })).trimEnd())
    if (JSON.stringify(masked) !== JSON.stringify(outputs)) {
      tell(context, errorPaint.dim('sensitive values are masked; --reveal shows them'))
    }
  }
  for (const warning of warnings)
    tell(context, `${errorPaint.yellow('warning:')} ${mask.text(printableLine(warning))}`)
  const failed = failedItems(outputs)
  if (failed > 0 && isJsonObject(outputs)) {
    const ids = outcome.requestIds.join(', ')
    tell(
      context,
      `${errorPaint.red('error:')} ${failed} of ${String(outputs['total'])} items failed (request id ${ids})`,
    )
  }
  if (error) {
    const { code, message, ...more } = error
    const { lines } = printError(new RunbookError(code, message, more), errorPaint, context.isVerbose)
    tell(
      context,
      lines.map((line) => mask.text(line)),
    )
  }
}
