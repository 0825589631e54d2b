import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { looksLikeRunbook } from '../../load/file/index.ts'
import {
  type FileProblem,
  findPath,
  isRunbookFile,
  listOwnRunbooks,
  readRunbookText,
  readStreamText,
  suggestRunbook,
} from '../../project/runbook-files/index.ts'
import type { Io } from '../shared/io.ts'

/** One sentence for each code, as for diagnostics. */
export const fileRules: Readonly<Record<FileCode, string>> = {
  FILE_NOT_FOUND: 'There is no file of this name.',
  FILE_IS_FOLDER: 'The name is that of a folder.',
  FILE_UNREADABLE: 'The file cannot be read.',
  FILE_OUTSIDE: 'The file is a link that leads out of the repository.',
  MORE_FINDINGS: 'The file has more findings than are shown.',
  FOLDER_WITHOUT_RUNBOOKS: 'There is no runbook in the folder.',
  SAME_NAME: 'Another runbook of the folder has this name.',
}

/** The problems of a file that has no text to check. */
export type FileCode = FileProblem['code'] | 'FOLDER_WITHOUT_RUNBOOKS' | 'MORE_FINDINGS' | 'SAME_NAME'

interface Problem {
  readonly code: FileCode
  readonly message: string
  readonly hint?: string
}

/** A file to check, a problem, or a YAML file of another tool. `file`: the path to show. */
export type GatheredFile =
  | { readonly file: string; readonly text: string }
  | { readonly file: string; readonly problem: Problem }
  | { readonly file: string; readonly isOther: true }

/** Reads the named files, the runbooks in the named folders, and `-` from stdin. */
export async function* gatherFiles(
  paths: readonly string[],
  stdinName: string,
  io: Io,
): AsyncGenerator<GatheredFile> {
  // "serve" loads every file of these, and starts with none where one cannot be read.
  const served = new Set((await listOwnRunbooks(io)).map(({ file }) => file))
  let inFolder = 0
  for await (const { how, path } of findFiles(paths, io)) {
    if (how === 'again') inFolder++
    else if (how === 'unreadable') {
      yield { file: path, problem: { code: 'FILE_UNREADABLE', message: 'the folder cannot be read' } }
    } else if (how === 'end') {
      if (inFolder === 0) yield { file: path, problem: noRunbooks }
      inFolder = 0
    } else {
      const isFound = how === 'found'
      const read =
        how === 'stdin' ? { text: await readStreamText(io.stdin) } : await readPath(path, isFound, io)
      const isOther = isFound && 'text' in read && !looksLikeRunbook(read.text)
      if (isOther && !served.has(resolve(io.workingDirectory, path))) {
        yield { file: path, isOther: true }
      } else {
        if (isFound) inFolder++
        yield { file: how === 'stdin' ? stdinName : path, ...read }
      }
    }
  }
}

const noRunbooks = {
  code: 'FOLDER_WITHOUT_RUNBOOKS',
  message: 'there is no runbook in this folder',
  hint: 'name the folder that holds runbooks, or write a first one with "opsbook init"',
} as const

/** Reads a file. If there is none, the problem suggests another name. */
async function readPath(
  path: string,
  isFound: boolean,
  io: Io,
): Promise<{ readonly text: string } | { readonly problem: Problem }> {
  const file = resolve(io.workingDirectory, path)
  const read = readRunbookText(file, isFound ? file : undefined)
  if ('text' in read || read.problem.code !== 'FILE_NOT_FOUND') return read
  const meant = await suggestRunbook(path, io)
  const hint = meant === undefined ? {} : { hint: `did you mean "${meant}"?` }
  return { problem: { ...read.problem, ...hint } }
}

/**
 * A path to check. `named`: the user named this file; `found`: it is in a named folder; `again`: it was listed before;
 * `unreadable`: a folder that cannot be listed; `end`: the end of a named folder.
 */
export interface FoundPath {
  readonly how: 'stdin' | 'named' | 'found' | 'again' | 'unreadable' | 'end'
  /** As given: relative paths stay relative. */
  readonly path: string
}

/** Finds the files at the paths, in the order of the paths and of names in a folder, each once. */
async function* findFiles(paths: readonly string[], io: Io): AsyncGenerator<FoundPath> {
  const seen = new Set<string>()
  const once = (how: 'named' | 'found', path: string): FoundPath => {
    const absolute = resolve(io.workingDirectory, path)
    if (seen.has(absolute)) return { how: 'again', path }
    seen.add(absolute)
    return { how, path }
  }
  for (const path of new Set(paths)) {
    if (path === '-') yield { how: 'stdin', path }
    else if (await isFolder(resolve(io.workingDirectory, path))) {
      for await (const place of walk(path, io))
        yield place.how === 'found' ? once('found', place.path) : place
      yield { how: 'end', path }
    } else yield once('named', (await findPath(path, io)) ?? path)
  }
}

/** The YAML files under a folder. Hidden folders, dependencies, the configuration and links to folders are left out. */
async function* walk(folder: string, io: Io): AsyncGenerator<FoundPath> {
  const absolute = resolve(io.workingDirectory, folder)
  const entries = await readdir(absolute, { withFileTypes: true }).catch(() => undefined)
  if (entries === undefined) yield { how: 'unreadable', path: folder }
  for (const entry of (entries ?? []).toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (!entry.name.startsWith('.') && entry.name !== 'node_modules') yield* walk(path, io)
    } else if (await isRunbookFile(entry, absolute)) yield { how: 'found', path }
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() ?? false
}
