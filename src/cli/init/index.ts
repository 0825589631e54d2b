/** `opsbook init`: a folder with everything that the first runbook needs. */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { answer, type CommandContext, tell } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { configurationSchemaText, schemaText } from '../schema/index.ts'
import { columns } from '../terminal/columns.ts'
import { printableLine } from '../terminal/printable.ts'
import { editorSettings, ignoredPaths, schemaFiles, settingsFile, templates } from './templates.ts'
import { addLines, type Written, writeNew } from './write-files.ts'

/** Sets a folder up. What is there already stays as it is. */
export async function init(context: CommandContext, named: string): Promise<ExitCode> {
  const folder = resolve(context.io.workingDirectory, named)
  const written: Written[] = []
  for (const template of templates) written.push(await writeNew(folder, template))
  const runbook = await schemaText(inFolder(context, folder))
  written.push(await writeNew(folder, { file: schemaFiles.runbook, text: runbook }))
  written.push(await writeNew(folder, { file: schemaFiles.configuration, text: configurationSchemaText() }))
  written.push(await addLines(folder, '.gitignore', ignoredPaths))
  answer(context, toText(context, named, written))
  await tellSettings(context, folder, written)
  return exitCodes.succeeded
}

/** The configuration that counts is that of the folder. */
function inFolder(context: CommandContext, folder: string): CommandContext {
  return { ...context, io: { ...context.io, workingDirectory: folder } }
}

function toText({ paint }: CommandContext, named: string, written: readonly Written[]): readonly string[] {
  const rows = written.map(({ file, state }) => [state === 'left' ? 'left as it is' : state, file])
  const enter = named === '.' ? [] : [`  cd ${printableLine(named)}`]
  return [
    ...columns(rows, (cell, row, column) =>
      column === 0 && written[row]?.state === 'left'
        ? paint.yellow(cell)
        : column === 0
          ? paint.green(cell)
          : cell,
    ).map((line) => `  ${line}`),
    '',
    paint.bold('Next'),
    ...enter,
    '  opsbook validate runbooks',
    '  opsbook plan hello',
    '  opsbook run hello --sandbox',
  ]
}

/** Settings of an editor are its owner's: what they lack is only said. */
async function tellSettings(
  context: CommandContext,
  folder: string,
  written: readonly Written[],
): Promise<void> {
  const isLeft = (file: string): boolean => written.some((one) => one.file === file && one.state === 'left')
  const settings = await readFile(join(folder, settingsFile), 'utf8').catch(() => '')
  if (!Object.values(schemaFiles).every((file) => settings.includes(file))) {
    tell(context, ['', `${settingsFile} was there. For help in the editor it needs:`, `  ${editorSettings}`])
  }
  const { runbook, configuration } = schemaFiles
  const commands = [
    ...(isLeft(runbook) ? [`opsbook schema --file ${runbook}`] : []),
    ...(isLeft(configuration) ? [`opsbook schema --configuration --file ${configuration}`] : []),
  ]
  if (commands.length === 0) return
  tell(context, ['', 'To bring the schemas up to date:', ...commands.map((command) => `  ${command}`)])
}
