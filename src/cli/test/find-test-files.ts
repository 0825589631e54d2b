import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { suggest } from '../../core/text/index.ts'
import { CommandError } from '../../project/index.ts'
import { findPath, findRunbook, isTestFile, isYaml } from '../../project/runbook-files/index.ts'
import type { Io } from '../shared/io.ts'

/** Finds the test files at the paths: a folder stands for all that are in it, a runbook for the one beside it. */
export async function findTestFiles(paths: readonly string[], io: Io): Promise<readonly string[]> {
  const found: string[] = []
  for (const path of paths.length === 0 ? ['.'] : paths) found.push(...(await findAt(path, io)))
  if (found.length > 0) return [...new Set(found)]
  throw mistake('there is no test file here', writeOne)
}

const writeOne = 'write one: NAME.test.yaml beside NAME.yaml'

async function findAt(named: string, io: Io): Promise<readonly string[]> {
  const given = await findPath(named, io)
  if (given === undefined && isTestFile(named)) throw await noTestFile(named, io)
  // A name that is neither that of a file nor of a runbook is refused with what is similar.
  const path = given ?? (await findRunbook(named, io))
  const kind = await kindOf(path, io)
  if (kind === 'folder') return walk(path, io)
  if (isTestFile(path)) return [path]
  const beside = path.replace(/\.ya?ml$/i, '.test.yaml')
  if (isYaml(path) && (await kindOf(beside, io)) === 'file') return [beside]
  throw mistake(
    `${path} has no tests`,
    isYaml(path) ? `write them in ${beside}` : 'test files end in .test.yaml',
  )
}

async function noTestFile(named: string, io: Io): Promise<CommandError> {
  const known = await walk('.', io)
  return mistake(`there is no file ${named}`, known.length === 0 ? writeOne : suggest(named, known))
}

async function kindOf(path: string, { workingDirectory }: Io): Promise<'file' | 'folder' | undefined> {
  const found = await stat(resolve(workingDirectory, path)).catch(() => undefined)
  return found && (found.isDirectory() ? 'folder' : 'file')
}

/** The test files under a folder, without hidden folders and dependencies. */
async function walk(folder: string, io: Io): Promise<readonly string[]> {
  const entries = await readdir(resolve(io.workingDirectory, folder), { withFileTypes: true }).catch(() => [])
  const found: string[] = []
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isFile() && isTestFile(entry.name)) found.push(path)
    else if (entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules') {
      found.push(...(await walk(path, io)))
    }
  }
  return found
}

function mistake(message: string, hint?: string): CommandError {
  return new CommandError('usage', message, hint === undefined ? {} : { hints: [hint] })
}
