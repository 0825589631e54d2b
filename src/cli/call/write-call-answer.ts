import { stringify } from 'yaml'
import type { AnsweredCall } from '../../acts/call/index.ts'
import type { ActionDescription } from '../../core/action.ts'
import { isJsonObject, withoutUndefined } from '../../core/json.ts'
import { createMask } from '../../core/mask/index.ts'
import { RunbookError } from '../../core/run-error.ts'
import { maskDocument, publicJson } from '../../documents/index.ts'
import { kindOfError } from '../../project/errors/index.ts'
import { hideFields } from '../../project/records/index.ts'
import { printable, printableLine } from '../../project/text/index.ts'
import { answerLines } from '../run/report/failure-lines.ts'
import { answer, answerJson, type CommandContext, tell } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { OutputFlags } from '../shared/options.ts'
import { printError } from '../shared/print-error.ts'

/** Writes the result of a call: the whole answer to stdout, errors to stderr. */
export function writeCallAnswer(
  context: CommandContext,
  operation: Pick<ActionDescription, 'name' | 'sensitiveOutput'>,
  outcome: AnsweredCall,
  { output, reveal }: OutputFlags & { readonly reveal?: boolean },
  secrets: readonly string[],
): ExitCode {
  const exitCode = exitCodeOf(outcome)
  const mask = createMask(secrets)
  if (output === 'json') {
    const { outputs, error, requestIds, warnings } = outcome
    const status =
      exitCode === exitCodes.succeeded
        ? 'succeeded'
        : exitCode === exitCodes.unresolved
          ? 'unknown'
          : 'failed'
    const document = {
      action: operation.name,
      status,
      ...withoutUndefined({ outputs, error }),
      request_ids: requestIds,
      warnings,
    }
    answerJson(context, maskDocument(mask, publicJson(document)))
    return exitCode
  }
  if (!reveal) hideFields(mask, outcome.outputs, operation.sensitiveOutput ?? [])
  writeText(context, outcome, mask)
  return exitCode
}

function exitCodeOf({ error, outputs }: AnsweredCall): ExitCode {
  if (error) return exitCodes[kindOfError(error.code)]
  return failedItems(outputs) > 0 ? exitCodes.failed : exitCodes.succeeded
}

function failedItems(outputs: AnsweredCall['outputs']): number {
  const failed = isJsonObject(outputs) ? outputs['failed'] : 0
  return typeof failed === 'number' ? failed : 0
}

function writeText(
  context: CommandContext,
  outcome: AnsweredCall,
  mask: ReturnType<typeof createMask>,
): void {
  const { outputs, error, warnings } = outcome
  const { errorPaint } = context
  if (outputs !== undefined) {
    const masked = mask.value(outputs)
    answer(context, printable(stringify(masked, { lineWidth: 0 })).trimEnd())
    if (JSON.stringify(masked) !== JSON.stringify(outputs))
      tell(context, errorPaint.dim('sensitive values are masked; --reveal shows them'))
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
      [...lines, ...answerLines(error, errorPaint, 'call --output json')].map((line) => mask.text(line)),
    )
  }
}
