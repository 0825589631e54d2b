import type { ActionDescription } from '../../core/action.ts'
import type { Plan } from '../../core/plan.ts'
import { loadRunbook } from '../../load/index.ts'
import { CommandError } from '../command-error.ts'
import { type CommandContext, tell } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { findRunbook, shortPath } from '../runbook-files/find-runbook.ts'
import { readBeside } from '../runbook-files/read-beside.ts'
import { readRunbookText } from '../runbook-files/read-runbook-text.ts'
import { printDiagnostic } from '../terminal/print-diagnostic.ts'

/**
 * The plan of a runbook. What is wrong with it ends the command, warnings are told. `notLoaded`: modules that may define
 * more actions.
 */
export async function loadPlan(
  named: string,
  actions: readonly ActionDescription[],
  context: CommandContext,
  notLoaded: readonly string[] = [],
): Promise<Plan> {
  return (await loadFile(await findRunbook(named, context.io), actions, context, notLoaded)).plan
}

/** A runbook as it was read from its file. */
export interface LoadedFile {
  readonly plan: Plan
  /** For people. */
  readonly file: string
  readonly text: string
}

/** The same for a file that was found before. */
export async function loadFile(
  path: string,
  actions: readonly ActionDescription[],
  context: CommandContext,
  notLoaded: readonly string[] = [],
): Promise<LoadedFile> {
  const file = shortPath(path, context.io)
  const read = await readRunbookText(path)
  if ('problem' in read) throw new CommandError(exitCodes.usage, `${file}: ${read.problem.message}`)
  const { plan, diagnostics, texts } = loadRunbook(read.text, actions, {
    file,
    readRunbook: readBeside(path),
    notLoaded,
  })
  const lines = diagnostics.flatMap((finding) => {
    const place = finding.file ?? file
    return [...printDiagnostic(place, texts[place] ?? '', finding, context.errorPaint), '']
  })
  if (!plan) {
    throw new CommandError(exitCodes.usage, `${file} is not a valid runbook; nothing was sent`, {
      details: lines.join('\n'),
    })
  }
  if (lines.length > 0) tell(context, lines)
  return { plan, file, text: read.text }
}
