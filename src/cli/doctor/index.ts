/** `opsbook doctor`: checks this machine and its connections, and advises what to do. */

import { readSystem, type SystemOptions } from '../../acts/reads/system/index.ts'
import type { Check } from '../../documents/index.ts'
import type { Paint } from '../../project/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { countText } from '../../view/text/index.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { OutputFlags } from '../shared/options.ts'
import { columns } from '../shared/terminal/columns.ts'

/** The flags of `doctor`, as the parser hands them over. */
export interface DoctorOptions extends SystemOptions, OutputFlags {}

/** Makes all checks in order. A failed check never hides a later one that can still be made. */
export async function doctor(context: CommandContext, options: DoctorOptions): Promise<ExitCode> {
  const document = await readSystem(context, options)
  if (options.output === 'json') answerJson(context, document)
  else answer(context, lines(document.checks, context.paint))
  if (document.ok) return exitCodes.succeeded
  const failed = document.checks.filter(({ status }) => status === 'fail')
  return failed.every(({ isOfRuns }) => isOfRuns) ? exitCodes.failed : exitCodes.environment
}

function lines(checks: readonly Check[], paint: Paint): readonly string[] {
  const colours = { ok: paint.green, warn: paint.yellow, fail: paint.red, skipped: paint.dim }
  const table = columns(
    checks.map(({ status, name, message }) => [
      status === 'skipped' ? '-' : status,
      name,
      printableLine(message),
    ]),
    (cell, row, column) =>
      column === 0 ? colours[checks[row]?.status ?? 'ok'](cell) : column === 1 ? paint.bold(cell) : cell,
  )
  const indent = ' '.repeat(6)
  const failed = checks.filter(({ status }) => status === 'fail').length
  const warned = checks.filter(({ status }) => status === 'warn').length
  const verdict =
    failed > 0
      ? paint.red(`${failed} of ${checks.length} checks failed`)
      : warned > 0
        ? paint.yellow(`all checks passed, with ${countText(warned, 'warning')}`)
        : paint.green('all checks passed')
  return [
    ...table.flatMap((line, row) => [
      line,
      ...(checks[row]?.hints ?? []).map((hint) => `${indent}${paint.cyan('→')} ${hint}`),
    ]),
    '',
    verdict,
  ]
}
