import { type Dirent, existsSync } from 'node:fs'
import { lstat, readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nearest } from '../../core/text/index.ts'
import { looksLikeRunbook } from '../../load/file/index.ts'
import { CommandError, refuseEmpty } from '../command-error.ts'
import { specialFile } from '../files/special-file.ts'
import type { Surroundings } from '../surroundings.ts'
import { readRunbookText } from './read-runbook-text.ts'

/** Finds the file of a runbook by its path, or by its name in one of the runbooks folders. */
export async function findRunbook(named: string, io: Surroundings): Promise<string> {
  refuseEmpty(named, 'the name of the runbook')
  const path = resolve(io.workingDirectory, named)
  const found = await stat(path).catch(() => undefined)
  const special = specialFile(path)
  if (found?.isFile() || (found?.isFIFO() && special === undefined)) return path
  // The reader of the file says where the link leads.
  const isDeadLink = !found && (await lstat(path).catch(() => undefined))?.isSymbolicLink()
  if (isDeadLink) return path
  const runbooks = await listRunbooks(io)
  const match = runbooks.find(({ name }) => isSameName(name, named))
  if (match) return match.file
  if (found?.isDirectory()) throw mistake(`${named} is a folder`, await hintsForFolder(named, path, runbooks))
  if (found) {
    const what = special === undefined ? 'neither a file nor a pipe' : `${special}, not a file`
    throw mistake(`${named} is ${what}`, ['name a file with a runbook in it'])
  }
  const near = await nearestTo(named, path, runbooks)
  const isPath = isYaml(named) || named.includes('/')
  const known = namesOf(runbooks)
  throw mistake(
    isPath ? `there is no file ${named}` : `there is no runbook "${named}"`,
    near === undefined
      ? known.length > 0
        ? known
        : ['there are no runbooks in ./runbooks']
      : [`did you mean "${near}"?`],
  )
}

/**
 * Where commands take files and folders: the path as given if something is there, else that of the runbook of this
 * name, else undefined.
 */
export async function findPath(named: string, io: Surroundings): Promise<string | undefined> {
  if (existsSync(resolve(io.workingDirectory, named))) return named
  const match = (await listRunbooks(io)).find(({ name }) => isSameName(name, named))
  return match && shortPath(match.file, io)
}

/** What was probably meant by the path or name of a runbook that is not there. */
export async function suggestRunbook(named: string, io: Surroundings): Promise<string | undefined> {
  return nearestTo(named, resolve(io.workingDirectory, named), await listRunbooks(io))
}

function namesOf(runbooks: readonly NamedRunbook[]): readonly string[] {
  return runbooks.length === 0 ? [] : [`runbooks by name: ${runbooks.map(({ name }) => name).join(', ')}`]
}

/** What was probably meant: a file of this name without its ending, a named runbook, or a file of the same folder. */
async function nearestTo(
  named: string,
  path: string,
  runbooks: readonly NamedRunbook[],
): Promise<string | undefined> {
  const stemOf = (one: string): string => basename(one, isYaml(one) ? extname(one) : '')
  const files = await runbookFilesIn(dirname(path))
  const names = runbooks.map(({ name }) => name)
  const near = nearest(named, names)
  const stems = files.map(stemOf)
  const stem = stemOf(named)
  const meant = stems.includes(stem) ? stem : near === undefined ? nearest(stem, stems) : undefined
  const file = files.find((one) => stemOf(one) === meant)
  return file === undefined ? near : join(dirname(named), file)
}

async function runbookFilesIn(folder: string): Promise<readonly string[]> {
  const files: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => []))
    if (await isRunbookFile(entry, folder)) files.push(entry.name)
  return files.toSorted()
}

/**
 * Whether an entry of a folder can be a runbook, by its name and kind. A pipe would block, and a link can lead to a
 * parent folder. A link to nothing counts: it is found when it is read.
 */
export async function isRunbookFile(entry: Dirent, folder: string): Promise<boolean> {
  const { name } = entry
  if (!isYaml(name) || isTestFile(name) || name === 'opsbook.yaml') return false
  if (!entry.isSymbolicLink()) return entry.isFile()
  const target = await stat(join(folder, name)).catch(() => undefined)
  return target === undefined || target.isFile()
}

async function hintsForFolder(
  named: string,
  path: string,
  runbooks: readonly NamedRunbook[],
): Promise<readonly string[]> {
  const first = await firstRunbookIn(path)
  if (first === undefined) return ['there are no runbooks in it', ...namesOf(runbooks)]
  return [
    `name a runbook in it, such as ${join(named, first)}`,
    `where a command takes several, ${join(named, '*.yaml')} names all of them`,
  ]
}

async function firstRunbookIn(folder: string): Promise<string | undefined> {
  for (const file of await runbookFilesIn(folder)) {
    const read = readRunbookText(join(folder, file))
    if ('text' in read && looksLikeRunbook(read.text)) return file
  }
  return undefined
}

/** Whether two names are equal if hyphens count as underscores. */
export function isSameName(one: string, other: string): boolean {
  return one.replaceAll('_', '-') === other.replaceAll('_', '-')
}

/** The relative path, if it is shorter. */
export function shortPath(path: string, { workingDirectory }: Surroundings): string {
  const short = relative(workingDirectory, path)
  return short !== '' && short.length < path.length && !short.startsWith('../../') ? short : path
}

function mistake(message: string, hints: readonly string[]): CommandError {
  return new CommandError('usage', message, { code: 'RunbookNotFound', hints })
}

/** A runbook in a runbooks folder, which can be named without its path. */
export interface NamedRunbook {
  readonly name: string
  readonly file: string
}

/** The folders whose runbooks have names: `runbooks` here, then the one of the package. */
function runbookFolders({ workingDirectory }: Surroundings): readonly string[] {
  // Resolved by the name of the package, since the build moves this module.
  const ofPackage = fileURLToPath(new URL('runbooks', import.meta.resolve('opsbook/package.json')))
  return [...new Set([join(workingDirectory, 'runbooks'), ofPackage])]
}

/** The runbooks of both folders; for equal names the first folder takes precedence. */
function listRunbooks(io: Surroundings): Promise<readonly NamedRunbook[]> {
  return listFolders(runbookFolders(io))
}

/** The runbooks of the folder here, without those of the package. */
export function listOwnRunbooks({ workingDirectory }: Surroundings): Promise<readonly NamedRunbook[]> {
  return listFolders([join(workingDirectory, 'runbooks')])
}

async function listFolders(folders: readonly string[]): Promise<readonly NamedRunbook[]> {
  const found = new Map<string, NamedRunbook>()
  for (const folder of folders) {
    for (const entry of await runbookFilesIn(folder)) {
      const name = basename(entry, extname(entry))
      if (!found.has(name)) found.set(name, { name, file: join(folder, entry) })
    }
  }
  return [...found.values()]
}

export function isYaml(file: string): boolean {
  return /\.ya?ml$/i.test(file)
}

/** Whether a file holds tests of a runbook, by its name. */
export function isTestFile(file: string): boolean {
  return /\.test\.ya?ml$/i.test(file)
}
