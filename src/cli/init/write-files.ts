import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'
import { reasonOf } from '../schema/replace-file.ts'
import type { Template } from './templates.ts'

/** What became of a file. `left`: it was there, and is as it was. */
export interface Written {
  readonly file: string
  readonly state: 'written' | 'added to' | 'left'
}

/** Writes a file, and its folder, where there is none of its name. */
export async function writeNew(folder: string, { file, text }: Template): Promise<Written> {
  const path = join(folder, file)
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text, { flag: 'wx' })
    return { file, state: 'written' }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && (await isThere(path)))
      return { file, state: 'left' }
    throw cannotWrite(path, error)
  }
}

/** Adds the lines that a file lacks at its end. */
export async function addLines(folder: string, file: string, lines: readonly string[]): Promise<Written> {
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

/** A folder of that name is in the way, a file is not. */
async function isThere(path: string): Promise<boolean> {
  return readFile(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === 'EACCES',
  )
}

function cannotWrite(path: string, error: unknown): CommandError {
  return new CommandError(exitCodes.environment, `${path} cannot be written: ${reasonOf(error)}`, {
    hints: ['what was written before that stays; the same command goes on from there'],
    cause: error,
  })
}
