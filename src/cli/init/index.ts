/** `opsbook init`: sets up a folder with everything that a first runbook needs. */

import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isNamedInside, makeFolder, reasonOf, refuseToReplaceSpecial } from '../../project/files/index.ts'
import { CommandError, refuseEmpty } from '../../project/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { configurationSchemaText, schemaText, testsSchemaText } from '../schema/index.ts'
import { answer, type CommandContext, tell } from '../shared/context.ts'
import { columns } from '../shared/terminal/columns.ts'
import {
  editorSettings,
  type InitTemplate,
  ignoredPaths,
  schemaFiles,
  settingsFile,
  templates,
} from './templates.ts'

/** Sets up a folder. Existing files are not changed. */
export async function init(context: CommandContext, named: string): Promise<void> {
  refuseEmpty(named, 'the name of the folder')
  const folder = resolve(context.io.workingDirectory, named)
  refuseSpecialTargets(folder)
  const written: Written[] = []
  for (const template of templates) written.push(await writeNew(folder, template))
  const runbook = await schemaText(inFolder(context, folder))
  written.push(await writeNew(folder, { file: schemaFiles.runbook, text: runbook }))
  written.push(await writeNew(folder, { file: schemaFiles.configuration, text: configurationSchemaText() }))
  written.push(await writeNew(folder, { file: schemaFiles.tests, text: testsSchemaText() }))
  written.push(await addLines(folder, '.gitignore', ignoredPaths))
  answer(context, toText(context, named, written))
  await reportSettings(context, folder, written)
}

/** Before the first file is written. Who opens a pipe that no one writes to waits for ever. */
function refuseSpecialTargets(folder: string): void {
  const files = [
    ...templates.map(({ file }) => file),
    ...Object.values(schemaFiles),
    settingsFile,
    '.gitignore',
  ]
  for (const path of files.map((file) => join(folder, file))) {
    try {
      if (!isNamedInside(path, path))
        throw Object.assign(new Error(path), { code: 'it is a link out of the repository' })
      refuseToReplaceSpecial(path)
    } catch (error) {
      throw cannotWrite(path, error)
    }
  }
}

/** The context with the new folder as working directory, so that its configuration applies. */
function inFolder(context: CommandContext, folder: string): CommandContext {
  return { ...context, io: { ...context.io, workingDirectory: folder } }
}

function toText({ paint }: CommandContext, named: string, written: readonly Written[]): readonly string[] {
  const rows = written.map(({ file, state }) => [state === 'left' ? 'left unchanged' : state, file])
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
    '  opsbook test',
    '  opsbook plan hello',
    '  opsbook run hello --sandbox',
  ]
}

/** Reports what existing editor settings lack. They belong to the user and are not changed. */
async function reportSettings(
  context: CommandContext,
  folder: string,
  written: readonly Written[],
): Promise<void> {
  const isLeft = (file: string): boolean => written.some((one) => one.file === file && one.state === 'left')
  const settings = await readFile(join(folder, settingsFile), 'utf8').catch(() => '')
  if (!Object.values(schemaFiles).every((file) => settings.includes(file)))
    tell(context, ['', `${settingsFile} exists. For editor support, add:`, `  ${editorSettings}`])
  const { runbook, configuration, tests } = schemaFiles
  const commands = [
    ...(isLeft(runbook) ? [`opsbook schema --file ${runbook}`] : []),
    ...(isLeft(configuration) ? [`opsbook schema --configuration --file ${configuration}`] : []),
    ...(isLeft(tests) ? [`opsbook schema --tests --file ${tests}`] : []),
  ]
  if (commands.length === 0) return
  tell(context, ['', 'To update the schemas:', ...commands.map((command) => `  ${command}`)])
}

/** The result for one file. `left`: it existed and was not changed. */
export interface Written {
  readonly file: string
  readonly state: 'written' | 'added to' | 'left'
}

/** Writes a file and its folder, unless a file of that name exists. */
async function writeNew(folder: string, { file, text }: InitTemplate): Promise<Written> {
  const path = join(folder, file)
  try {
    await makeFolder(dirname(path))
    await writeFile(path, text, { flag: 'wx' })
    return { file, state: 'written' }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && (await isThere(path)))
      return { file, state: 'left' }
    throw cannotWrite(path, error)
  }
}

/** Appends the lines that a file lacks. */
async function addLines(folder: string, file: string, lines: readonly string[]): Promise<Written> {
  const path = join(folder, file)
  try {
    const before = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    const known = new Set((before ?? '').split(/\r?\n/).map((line) => line.trim()))
    const missing = lines.filter((line) => !known.has(line))
    if (missing.length === 0) return { file, state: 'left' }
    const start = before === undefined || before === '' || before.endsWith('\n') ? '' : '\n'
    await appendFile(path, `${start}${missing.join('\n')}\n`)
    return { file, state: before === undefined ? 'written' : 'added to' }
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

/** Whether a file of this name exists. A folder of this name is an error. */
async function isThere(path: string): Promise<boolean> {
  return readFile(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === 'EACCES',
  )
}

function cannotWrite(path: string, error: unknown): CommandError {
  return new CommandError('environment', `${path} cannot be written: ${reasonOf(error)}`, {
    hints: ['files that were written stay; fix the problem and run the command again'],
    cause: error,
  })
}
