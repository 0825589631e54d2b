import { stat } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { nearest } from '../../core/nearest.ts'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { isYaml, listRunbooks } from './list-runbooks.ts'

/** The file of a runbook that was named by path, or by its name in one of the runbooks folders. */
export async function findRunbook(named: string, io: Io): Promise<string> {
  const path = resolve(io.workingDirectory, named)
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() || found?.isFIFO()) return path
  const runbooks = await listRunbooks(io)
  const match = runbooks.find(({ name }) => name === named || isSameName(name, named))
  if (match) return match.file
  if (found?.isDirectory()) {
    throw mistake(`${named} is a folder`, ['name one of the runbooks in it'])
  }
  if (found) {
    throw mistake(`${named} is neither a file nor a pipe`, ['name a file with a runbook in it'])
  }
  const near = nearest(
    named,
    runbooks.map(({ name }) => name),
  )
  const isPath = isYaml(named) || named.includes('/')
  const known = runbooks.map(({ name }) => name).join(', ')
  throw mistake(
    isPath ? `there is no file ${named}` : `there is no runbook "${named}"`,
    near === undefined
      ? [known === '' ? 'there are no runbooks in ./runbooks' : `runbooks by name: ${known}`]
      : [`did you mean "${near}"?`],
  )
}

/** Whether two names are one: files use hyphens and underscores as it comes. */
export function isSameName(one: string, other: string): boolean {
  return one.replaceAll('_', '-') === other.replaceAll('_', '-')
}

/** A path as people would type it: relative where that is shorter. */
export function shortPath(path: string, { workingDirectory }: Io): string {
  const short = relative(workingDirectory, path)
  return short !== '' && short.length < path.length && !short.startsWith('../../') ? short : path
}

function mistake(message: string, hints: readonly string[]): CommandError {
  return new CommandError(exitCodes.usage, message, { hints })
}
