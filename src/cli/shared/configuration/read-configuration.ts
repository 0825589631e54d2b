import { access, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Diagnostic } from '../../../core/diagnostic.ts'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { refuseSpecial, specialFile } from '../special-file.ts'
import type { HookTemplates } from './check-configuration.ts'
import { type ObeyedFile, requireTrust } from './require-trust.ts'
import type { ConfigurationDocument } from './schema.ts'

/** The contents of `opsbook.yaml`; empty if there is no such file. */
export interface Configuration {
  /** Absolute path of the file. */
  readonly file?: string
  readonly document: ConfigurationDocument
  /** The compiled expressions of its hooks. */
  readonly hooks?: Readonly<Record<string, HookTemplates>>
  /** Why `notify` is invalid and left out. */
  readonly notifyProblem?: CommandError
  /** What is wrong with `notify`, with positions. */
  readonly notifyFindings?: readonly Diagnostic[]
}

/** Name of the file with the configuration of a project. */
export const configurationName = 'opsbook.yaml'

/**
 * Reads the nearest `opsbook.yaml`, from the working directory upwards. Throws for a mistake in it. A mistake under `notify`
 * is only a warning, so that a user can stop a run without fixing it first.
 */
export async function readConfiguration(io: Io): Promise<Configuration> {
  const configuration = await readLeniently(io)
  const { notifyProblem } = configuration
  if (notifyProblem && !warned.has(io)) {
    warned.add(io)
    io.stderr.write(
      `${notifyProblem.details}\nwarning: no notifications are sent: ${notifyProblem.message}\n`,
    )
  }
  return configuration
}

const warned = new WeakSet<Io>()

/** Reads the configuration for a command that executes runs: throws for a mistake under `notify`, too. */
export async function readRunConfiguration(io: Io): Promise<Configuration> {
  const configuration = await readLeniently(io)
  if (configuration.notifyProblem) throw configuration.notifyProblem
  return configuration
}

/** Reads the configuration, with a mistake under `notify` in the result. */
export async function readLeniently(io: Io): Promise<Configuration> {
  const found = await findUpwards(io.workingDirectory)
  if (found === undefined) return { document: {} }
  requireTrust(found, io)
  return readFound(found, io)
}

/** Reads also an untrusted file: only for commands that execute nothing and send nothing. */
export async function readUntrusted(io: Io): Promise<Configuration> {
  const found = await findUpwards(io.workingDirectory)
  return found === undefined ? { document: {} } : readFound(found, io)
}

async function readFound({ file }: ObeyedFile, io: Io): Promise<Configuration> {
  // Loading it takes a third of the start time, and many commands have no file to check.
  const { checkConfiguration } = await import('./check-configuration.ts')
  const { document, hooks = {}, findings } = await checkConfiguration(await readOrRefuse(file))
  if (findings.length === 0 && document) return { file, document, hooks }
  const problem = invalid(relative(io.workingDirectory, file) || configurationName, findings)
  if (document === undefined) throw problem
  return { file, document, notifyProblem: problem, notifyFindings: findings }
}

/** Finds the nearest file. `below`: the last repository that the search has left. */
async function findUpwards(folder: string, below?: string): Promise<ObeyedFile | undefined> {
  const file = join(folder, configurationName)
  if (await isThere(file)) return { file, ...(below === undefined ? {} : { below }) }
  const parent = dirname(folder)
  if (parent === folder) return undefined
  return findUpwards(parent, (await isThere(join(folder, '.git'))) ? folder : below)
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

async function readOrRefuse(file: string): Promise<string> {
  try {
    refuseSpecial(file)
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const isFolder = code === 'EISDIR' ? 'it is a folder; ' : ''
    const isOther = isFolder !== '' || specialFile(file) !== undefined
    throw new CommandError(exitCodes.environment, `the configuration ${file} cannot be read (${code})`, {
      hints: [isOther ? `${isFolder}Opsbook expects a file of this name` : 'check its permissions'],
    })
  }
}

/** The error for an invalid file. It shows no values: a line of the file may hold a key. */
function invalid(file: string, findings: readonly Diagnostic[]): CommandError {
  const details = findings.map(({ range, message, hint }) => {
    const place = `${file}:${range.start.line}:${range.start.column}`
    return `${place}: ${message}${hint === undefined ? '' : `\n  ${hint}`}`
  })
  return new CommandError(exitCodes.usage, `the configuration ${file} is not valid`, {
    code: 'InvalidConfiguration',
    details: details.join('\n'),
  })
}
