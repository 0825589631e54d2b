import { randomBytes } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { RunbookError } from '../../core/run-error.ts'
import { fileProblem } from '../../engine/index.ts'
import { CommandError } from '../command-error.ts'
import { makeFolder } from '../files/make-folder.ts'
import type { Surroundings } from '../surroundings.ts'
import type { DataDirFlags } from '../text/location-flags.ts'
import { type Configuration, requirePart, withoutInvalidParts } from './read-configuration.ts'

/** Chooses the data directory: flag, environment, configuration, then the default of the system. */
export function chooseDataDir(
  flag: string | undefined,
  configuration: Configuration,
  io: Surroundings,
): string {
  if (flag === '') throw new CommandError('usage', '--data-dir is empty: is a variable not set?')
  if (flag !== undefined) return resolve(io.workingDirectory, flag)
  const fromEnvironment = io.env['OPSBOOK_DATA_DIR']
  if (fromEnvironment) return resolve(io.workingDirectory, fromEnvironment)
  requirePart(configuration, 'data-dir')
  const { file, document } = configuration
  const configured = document['data-dir']
  if (configured !== undefined) return resolvePath(configured, file ? dirname(file) : io.workingDirectory, io)
  return join(io.env['XDG_DATA_HOME'] || join(homeFolder(io.env), '.local', 'share'), 'opsbook')
}

/** The data directory of a command that needs nothing else: another mistake in `opsbook.yaml` is only a warning. */
export async function readDataDir({ dataDir }: DataDirFlags, io: Surroundings): Promise<string> {
  return withoutInvalidParts(io, '--data-dir FOLDER', (configuration) =>
    chooseDataDir(dataDir, configuration, io),
  )
}

/** Creates the folder if it does not exist, and checks that it is writable. Throws `DataDirUnusable`. */
export async function prepareDataDir(folder: string): Promise<void> {
  const probe = join(folder, `.probe-${randomBytes(6).toString('hex')}`)
  try {
    await makeFolder(folder, 0o700)
    const file = await open(probe, 'wx', 0o600)
    try {
      await file.writeFile(Buffer.alloc(64 * 1024))
      await file.sync()
    } finally {
      await file.close()
      await rm(probe, { force: true })
    }
  } catch (cause) {
    const why = isMissing(cause) ? 'the folder cannot be created there' : fileProblem(cause)
    const message = `cannot use the data directory ${folder}: ${why}`
    throw new RunbookError('DataDirUnusable', message, { cause, notSent: true })
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}

/** Resolves a path: `~/` is the home folder, and relative paths start at the given folder. */
export function resolvePath(path: string, folder: string, { env }: Pick<Surroundings, 'env'>): string {
  return path.startsWith('~/') ? join(homeFolder(env), path.slice(2)) : resolve(folder, path)
}

function homeFolder(env: Surroundings['env']): string {
  return env['HOME'] || userInfo().homedir
}
