import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Diagnostic } from '../../load/index.ts'
import { CommandError } from '../command-error.ts'
import { staysInside } from '../files/inside-repository.ts'
import { refuseSpecial, specialFile } from '../files/special-file.ts'
import type { Surroundings } from '../surroundings.ts'
import { type ObeyedFile, requireTrust } from './require-trust.ts'
import type { HookTemplates } from './schema/check-configuration.ts'
import type { ConfigurationDocument } from './schema/configuration-schema.ts'

/** The contents of `opsbook.yaml`; empty if there is no such file. */
export interface Configuration {
  /** Absolute path of the file. */
  readonly file?: string
  readonly document: ConfigurationDocument
  /** The compiled expressions of its hooks. */
  readonly hooks?: Readonly<Record<string, HookTemplates>>
  /** Why parts of the file are invalid and left out. */
  readonly invalid?: InvalidParts
}

/** What `document` leaves out. */
export interface InvalidParts {
  /** The keys at the top of the file that are left out. Undefined: nothing of the file is used. */
  readonly keys?: readonly string[]
  readonly findings: readonly Diagnostic[]
  readonly problem: CommandError
}

/** Name of the file with the configuration of a project. */
export const configurationName = 'opsbook.yaml'

/**
 * Reads the nearest `opsbook.yaml`, from the working directory upwards. Throws for a mistake in it. A mistake under `notify`
 * is only a warning, so that a user can stop a run without fixing it first.
 */
export async function readConfiguration(io: Surroundings): Promise<Configuration> {
  const configuration = await readLeniently(io)
  warnOfInvalid(configuration, 'no notifications are sent', io)
  return configuration
}

/** Warns of the parts that are left out, once for each command. `effect`: what that means for the command. */
function warnOfInvalid({ invalid }: Configuration, effect: string, io: Surroundings): void {
  if (invalid === undefined || warned.has(io)) return
  warned.add(io)
  const { details, message } = invalid.problem
  const lines = [...(details === undefined ? [] : [details]), `warning: ${message}; ${effect}`]
  io.stderr.write(`${lines.join('\n')}\n`)
}

const warned = new WeakSet<Surroundings>()

/** Reads the configuration for a command that executes runs: throws for a mistake under `notify`, too. */
export async function readRunConfiguration(io: Surroundings): Promise<Configuration> {
  const configuration = await readLeniently(io)
  if (configuration.invalid) throw configuration.invalid.problem
  return configuration
}

/** Reads the configuration, with a mistake under `notify` in the result. */
export async function readLeniently(io: Surroundings): Promise<Configuration> {
  return exceptNotify(await readValidParts(io))
}

/** Reads the configuration, with all mistakes in the result: what uses a part of it calls {@link requirePart} first. */
async function readValidParts(io: Surroundings): Promise<Configuration> {
  const found = findUpwards(io.workingDirectory)
  if (found === undefined) return { document: {} }
  try {
    requireTrust(found, io)
    return await readFound(found, io)
  } catch (problem) {
    if (!(problem instanceof CommandError)) throw problem
    return { document: {}, invalid: { findings: [], problem } }
  }
}

/** Reads also an untrusted file: only for commands that execute nothing and send nothing. */
export async function readUntrusted(io: Surroundings): Promise<Configuration> {
  const found = findUpwards(io.workingDirectory)
  return found === undefined ? { document: {} } : exceptNotify(await readFound(found, io))
}

/** Throws if a part is invalid, or if an unknown key of the file can stand for it. */
export function requirePart({ invalid }: Configuration, part: keyof ConfigurationDocument): void {
  if (invalid === undefined) return
  if (invalid.keys === undefined || invalid.keys.includes(part)) throw invalid.problem
}

/**
 * What a command needs of the configuration. The rest may be invalid, which is only a warning: a token can be revoked and a
 * run cancelled without fixing the file first. `flags`: those with which nothing of the file is needed.
 */
export async function withoutInvalidParts<T>(
  io: Surroundings,
  flags: string,
  choose: (configuration: Configuration) => T,
): Promise<T> {
  const configuration = await readValidParts(io)
  const { invalid } = configuration
  try {
    const chosen = choose(configuration)
    const unneeded = invalid?.keys === undefined ? 'it' : 'the invalid part'
    warnOfInvalid(configuration, `this command does not need ${unneeded}`, io)
    return chosen
  } catch (error) {
    if (invalid === undefined || error !== invalid.problem) throw error
    const { kind, message, code, details, hints } = invalid.problem
    throw new CommandError(kind, message, {
      code,
      ...(details === undefined ? {} : { details }),
      hints: [...hints, `with ${flags}, this command does not need the file`],
    })
  }
}

function exceptNotify(configuration: Configuration): Configuration {
  const { invalid } = configuration
  if (invalid && !invalid.keys?.every((key) => key === 'notify')) throw invalid.problem
  return configuration
}

async function readFound({ file }: ObeyedFile, io: Surroundings): Promise<Configuration> {
  // Loading it takes a third of the start time, and many commands have no file to check.
  const { checkConfiguration } = await import('./schema/check-configuration.ts')
  const { document, hooks = {}, invalidKeys, findings } = await checkConfiguration(await readOrRefuse(file))
  if (findings.length === 0 && document) return { file, document, hooks }
  const problem = toError(relative(io.workingDirectory, file) || configurationName, findings)
  const keys = document === undefined ? {} : { keys: invalidKeys }
  return { file, document: document ?? {}, hooks, invalid: { ...keys, findings, problem } }
}

/** Finds the nearest file. `below`: the last repository that the search has left. */
function findUpwards(folder: string, below?: string): ObeyedFile | undefined {
  const file = join(folder, configurationName)
  if (existsSync(file)) return { file, ...(below === undefined ? {} : { below }) }
  const parent = dirname(folder)
  if (parent === folder) return undefined
  return findUpwards(parent, existsSync(join(folder, '.git')) ? folder : below)
}

async function readOrRefuse(file: string): Promise<string> {
  try {
    if (!staysInside(file)) throw Object.assign(new Error(file), { code: 'a link out of the repository' })
    refuseSpecial(file)
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const isFolder = code === 'EISDIR' ? 'it is a folder; ' : ''
    const isOther = isFolder !== '' || specialFile(file) !== undefined
    throw new CommandError('environment', `the configuration ${file} cannot be read (${code})`, {
      hints: [isOther ? `${isFolder}Opsbook expects a file of this name` : 'check its permissions'],
    })
  }
}

/** The error for an invalid file. It shows no values: a line of the file may hold a key. */
function toError(file: string, findings: readonly Diagnostic[]): CommandError {
  const details = findings.map(({ range, message, hint }) => {
    const place = `${file}:${range.start.line}:${range.start.column}`
    return `${place}: ${message}${hint === undefined ? '' : `\n  ${hint}`}`
  })
  return new CommandError('usage', `the configuration ${file} is not valid`, {
    code: 'InvalidConfiguration',
    details: details.join('\n'),
  })
}
