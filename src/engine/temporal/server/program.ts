import { execFile } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { type FoundServer, type NotFound, notFound, oldestServer } from './server-source.ts'

const unfinished = '.unfinished-'

/**
 * Makes the program in a folder of its own, and moves it into the cache once it runs: the cache never has a
 * part of one.
 */
export async function install(
  folder: string,
  make: (workshop: string) => Promise<NotFound | undefined>,
): Promise<FoundServer | NotFound> {
  const workshop = await mkdtemp(join(folder, unfinished))
  try {
    const failure = await make(workshop)
    if (failure) return failure
    const made = join(workshop, programFile('temporal'))
    const why = await checkProgram(made)
    if (why !== undefined) return notFound(why)
    const path = join(folder, programFile('temporal'))
    await rename(made, path)
    return { kind: 'program', path }
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
}

/** Removes what a killed process has left. Requires the lock on the cache. */
export async function removeUnfinished(folder: string): Promise<void> {
  const names = await readdir(folder)
  const left = names.filter((name) => name.startsWith(unfinished))
  await Promise.all(left.map((name) => rm(join(folder, name), { recursive: true, force: true })))
}

const answerTimeoutMs = 20_000

/** Why a program cannot be used as the server; nothing where it can. */
export async function checkProgram(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: answerTimeoutMs })
    // Not the version of the CLI: a CLI that was built from source does not know its version.
    const server = /\bServer (\d+\.\d+)/.exec(stdout)?.[1]
    if (server === undefined) return `${path} is no Temporal command line tool with a server in it`
    return isOlder(server, oldestServer)
      ? `${path} has Temporal server ${server} in it, and ${oldestServer} is needed`
      : undefined
  } catch (error) {
    return `${path} does not run: ${lastLine((error as Error).message)}`
  }
}

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [thanMajor = 0, thanMinor = 0] = than.split('.').map(Number)
  return major < thanMajor || (major === thanMajor && minor < thanMinor)
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}

/** The file that the system runs for a name. */
export function findOnPath(name: string, path: string | undefined): string | undefined {
  const file = programFile(name)
  return (path ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, file))
    .find(isProgram)
}

/** The name of a program's file on this system. */
export function programFile(name: string): string {
  return process.platform === 'win32' ? `${name}.exe` : name
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
