/** `opsbook validate`: every finding of every file. */
import type { ValidateOptions } from '../commands/validate.ts'
import { type CommandContext, tell } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { lookUpActions } from '../load-actions.ts'
import { checkFile } from './check-file.ts'
import { gatherFiles } from './gather-files.ts'
import { reports } from './reports/index.ts'
import { count } from './reports/report.ts'

/** Checks the files at the paths. Answers `usage` when there is an error in any of them, or too many warnings. */
export async function validate(
  context: CommandContext,
  paths: readonly string[],
  { output, stdinName, maxWarnings, withActions = false }: ValidateOptions,
): Promise<ExitCode> {
  const actions = await lookUpActions(context.io, withActions)
  const createReport = await reports[output]()
  const report = createReport(context)
  const totals = { files: 0, errors: 0, warnings: 0 }
  let others = 0
  for await (const gathered of gatherFiles(paths, stdinName, context.io)) {
    const checked = checkFile(gathered, actions, context.io)
    if (!checked) {
      others++
      continue
    }
    report.take(checked)
    totals.files++
    for (const { severity } of checked.findings) totals[severity === 'error' ? 'errors' : 'warnings']++
  }
  report.end(totals)
  if (others > 0 && output === 'text') {
    tell(context, `${count(others, 'other YAML file')} left out: no "apiVersion: opsbook/…" in it`)
  }
  if (totals.errors > 0) return exitCodes.usage
  if (maxWarnings === undefined || totals.warnings <= maxWarnings) return exitCodes.succeeded
  tell(context, `${count(totals.warnings, 'warning')}, and --max-warnings allows ${maxWarnings}`)
  return exitCodes.usage
}
