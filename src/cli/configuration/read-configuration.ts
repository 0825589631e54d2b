import { access, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import type { HookTemplates } from './check-configuration.ts'
import { type ObeyedFile, requireTrust } from './require-trust.ts'
import type { ConfigurationDocument } from './schema.ts'

/** What `opsbook.yaml` says, or nothing where there is none. */
export interface Configuration {
  /** Absolute path of the file. */
  readonly file?: string
  readonly document: ConfigurationDocument
  /** What the expressions of its hooks are compiled to. */
  readonly hooks?: Readonly<Record<string, HookTemplates>>
  /** Why nobody can be told of anything, and `notify` is left out. */
  readonly notifyProblem?: CommandError
}

const fileName = 'opsbook.yaml'

/**
 * Reads the nearest `opsbook.yaml`, from the working directory upwards. A mistake in it ends the command; one under
 * `notify` is only told of, once: whoever wants to stop a run must not have to mend it first.
 */
export async function readConfiguration(io: Io): Promise<Configuration> {
  const configuration = await readLeniently(io)
  const { notifyProblem } = configuration
  if (notifyProblem && !told.has(io)) {
    told.add(io)
    io.stderr.write(
      `${notifyProblem.details}\nwarning: nobody is told of anything: ${notifyProblem.message}\n`,
    )
  }
  return configuration
}

const told = new WeakSet<Io>()

/** The same for a command that carries runs out, of which somebody may have to be told: any mistake ends it. */
export async function readRunConfiguration(io: Io): Promise<Configuration> {
  const configuration = await readLeniently(io)
  if (configuration.notifyProblem) throw configuration.notifyProblem
  return configuration
}

/** The same with nothing told: the mistake is in the answer. */
export async function readLeniently(io: Io): Promise<Configuration> {
  const found = await findUpwards(io.workingDirectory)
  if (found === undefined) return { document: {} }
  requireTrust(found, io)
  return readFound(found, io)
}

/** The same, also of a file that the user does not trust: for commands that only look, and obey nothing of it. */
export async function readUntrusted(io: Io): Promise<Configuration> {
  const found = await findUpwards(io.workingDirectory)
  return found === undefined ? { document: {} } : readFound(found, io)
}

async function readFound({ file }: ObeyedFile, io: Io): Promise<Configuration> {
  // Takes a third of the start of a command, and many need no file.
  const { checkConfiguration } = await import('./check-configuration.ts')
  const { document, hooks = {}, findings } = await checkConfiguration(await readOrRefuse(file))
  if (findings.length === 0 && document) return { file, document, hooks }
  const problem = invalid(relative(io.workingDirectory, file) || fileName, findings)
  if (document === undefined) throw problem
  return { file, document, notifyProblem: problem }
}

/** The nearest file. `below`: the last repository that the way upwards has left. */
async function findUpwards(folder: string, below?: string): Promise<ObeyedFile | undefined> {
  const file = join(folder, fileName)
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
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError(exitCodes.environment, `the configuration ${file} cannot be read (${code})`, {
      hints: [
        code === 'EISDIR' ? 'it is a folder; Opsbook expects a file of this name' : 'check its permissions',
      ],
    })
  }
}

/** Values are left out on purpose: a line of this file may hold a key that somebody wrote into it. */
function invalid(file: string, findings: readonly Diagnostic[]): CommandError {
  const details = findings.map(({ range, message, hint }) => {
    const place = `${file}:${range.start.line}:${range.start.column}`
    return `${place}: ${message}${hint === undefined ? '' : `\n  ${hint}`}`
  })
  return new CommandError(exitCodes.usage, `the configuration ${file} is not valid`, {
    details: details.join('\n'),
  })
}
