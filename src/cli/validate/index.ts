/** `opsbook validate`: every finding of every file. */
import { createActions } from '../../actions/index.ts'
import { loadRunbook } from '../../load/index.ts'
import type { ValidateOptions } from '../commands/validate.ts'
import { answer, answerJson, type CommandContext, tell } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { type Finding, printDiagnostic } from '../terminal/print-diagnostic.ts'
import { type GatheredFile, gatherFiles } from './gather-files.ts'

/** A file with everything that was found in it. */
interface CheckedFile {
  readonly file: string
  readonly text: string
  readonly findings: readonly (Finding & { readonly path: string })[]
}

const nowhere = { line: 1, column: 1, offset: 0 }

/** Checks the files at the paths. Answers `usage` when there is an error in any of them. */
export async function validate(
  context: CommandContext,
  paths: readonly string[],
  { output }: ValidateOptions,
): Promise<ExitCode> {
  const { files, skipped } = await gatherFiles(paths, context.io)
  const actions = createActions()
  const checked = files.map((file): CheckedFile => check(file, actions))
  const all = checked.flatMap(({ findings }) => findings)
  const errors = all.filter(({ severity }) => severity === 'error').length
  const warnings = all.length - errors
  if (output === 'json') answerJson(context, toJson(checked, errors, warnings))
  else answer(context, toText(context, checked, errors, warnings))
  if (skipped > 0 && output === 'text') {
    tell(context, `${count(skipped, 'other YAML file')} left out: no "apiVersion: opsbook/…" in it`)
  }
  return errors > 0 ? exitCodes.usage : exitCodes.succeeded
}

function check(gathered: GatheredFile, actions: ReturnType<typeof createActions>): CheckedFile {
  const { file } = gathered
  if ('text' in gathered) {
    return { file, text: gathered.text, findings: loadRunbook(gathered.text, actions).diagnostics }
  }
  const { code, message } = gathered.problem
  const finding = {
    code,
    severity: 'error',
    message,
    path: '',
    range: { start: nowhere, end: nowhere },
  } as const
  return { file, text: '', findings: [finding] }
}

function toJson(checked: readonly CheckedFile[], errors: number, warnings: number): unknown {
  const files = checked.map(({ file, findings }) => ({
    file,
    diagnostics: findings.map(({ code, severity, message, hint, path, range }) => ({
      code,
      severity,
      message,
      ...(hint === undefined ? {} : { hint }),
      path,
      line: range.start.line,
      column: range.start.column,
      end_line: range.end.line,
      end_column: range.end.column,
    })),
  }))
  return { files, errors, warnings }
}

function toText(
  { paint }: CommandContext,
  checked: readonly CheckedFile[],
  errors: number,
  warnings: number,
): readonly string[] {
  const lines = checked.flatMap(({ file, text, findings }) =>
    findings.flatMap((finding) => [...printDiagnostic(file, text, finding, paint), '']),
  )
  const found = [
    ...(errors > 0 ? [paint.red(count(errors, 'error'))] : []),
    ...(warnings > 0 ? [paint.yellow(count(warnings, 'warning'))] : []),
  ]
  const verdict = found.length === 0 ? paint.green('no findings') : found.join(', ')
  return [...lines, `${count(checked.length, 'file')} checked: ${verdict}`]
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
