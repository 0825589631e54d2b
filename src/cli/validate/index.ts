/** `opsbook validate`: every finding of every file. */
import { dirname, join, resolve } from 'node:path'
import { lookUpActions } from '../../project/actions/index.ts'
import { readUntrusted } from '../../project/configuration/index.ts'
import { knownConnections } from '../../project/connections/index.ts'
import { firstFindings } from '../../project/runbooks/index.ts'
import { countText } from '../../view/text/index.ts'
import { type CommandContext, tell } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { WithActionsFlags } from '../shared/options.ts'
import {
  type CheckedFile,
  checkFile,
  checkNamedConfiguration,
  checkNearestConfiguration,
  sameName,
} from './check-file.ts'
import { gatherFiles } from './gather-files.ts'
import { reports, type ValidateFormat } from './reports.ts'

/** The flags of `validate`, as the parser hands them over. */
export interface ValidateOptions extends WithActionsFlags {
  readonly output: ValidateFormat
  readonly stdinName: string
  readonly maxWarnings?: number
}

/** Checks the files at the paths. Returns `usage` for an error in any of them, or too many warnings. */
export async function validate(
  context: CommandContext,
  paths: readonly string[],
  { output, stdinName, maxWarnings, withActions = false }: ValidateOptions,
): Promise<ExitCode> {
  const actions = await lookUpActions(context.io, withActions)
  const configuration = await readUntrusted(context.io)
  const known = knownConnections(configuration, context.io, false)
  // Other commands name a secret that is missing where a step needs it.
  const secrets =
    known.notComplete === undefined ? { secrets: Object.keys(configuration.document.secrets ?? {}) } : {}
  const connections = { ...known, ...secrets }
  const createReport = await reports[output]()
  const report = createReport(context)
  const totals = { files: 0, errors: 0, warnings: 0 }
  const take = (checked: CheckedFile): void => {
    report.take({ ...checked, findings: firstFindings(checked.findings) })
    // The finding about such a folder is about no file.
    if (checked.findings[0]?.code !== 'FOLDER_WITHOUT_RUNBOOKS') totals.files++
    for (const { severity } of checked.findings) totals[severity === 'error' ? 'errors' : 'warnings']++
  }
  const files = new Map<string, string>()
  const told = new Set<string>()
  /** A child runbook is checked with each runbook that runs it, and as a file of its own. */
  const withoutTold = (checked: CheckedFile): CheckedFile => {
    const findings = checked.findings.filter((finding) => {
      const { file = checked.file, code, message, range } = finding
      const key = JSON.stringify([resolve(context.io.workingDirectory, file), code, range, message])
      return !told.has(key) && told.add(key)
    })
    return { ...checked, findings }
  }
  const withName = (checked: CheckedFile): CheckedFile => {
    const { file, texts, findings, name } = checked
    if (name === undefined) return checked
    const key = join(dirname(file), name)
    const other = files.get(key)
    if (other === undefined) files.set(key, file)
    return other === undefined
      ? checked
      : { ...checked, findings: [...findings, sameName(file, texts[file] ?? '', name, other)] }
  }
  const nearest = await checkNearestConfiguration(context.io)
  if (nearest) take(nearest)
  let others = 0
  for await (const gathered of gatherFiles(paths, stdinName, context.io)) {
    const { file } = gathered
    if (nearest?.file === file) continue
    const checked =
      (await checkNamedConfiguration(file, context.io)) ??
      checkFile(gathered, actions, connections, context.io)
    if (!checked) {
      others++
      continue
    }
    take(withoutTold(withName(checked)))
  }
  report.end(totals)
  if (others > 0 && output === 'text')
    tell(context, `${countText(others, 'other YAML file')} left out: no "apiVersion: opsbook/…" in it`)
  if (totals.errors > 0) return exitCodes.usage
  if (maxWarnings === undefined || totals.warnings <= maxWarnings) return exitCodes.succeeded
  tell(context, `${countText(totals.warnings, 'warning')}, and --max-warnings allows ${maxWarnings}`)
  return exitCodes.usage
}
