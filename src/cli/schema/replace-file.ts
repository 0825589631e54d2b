import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'

/** Gives a file this text: it has the old one or the new one, whenever the process ends. False where it had it already. */
export async function replaceFile(file: string, text: string): Promise<boolean> {
  const before = await readFile(file, 'utf8').catch(() => undefined)
  if (before === text) return false
  const temporary = `${file}.${randomBytes(4).toString('hex')}.partial`
  try {
    await writeFile(temporary, text)
    await rename(temporary, file)
    return true
  } catch (error) {
    await rm(temporary, { force: true })
    throw new CommandError(exitCodes.environment, `${file} cannot be written: ${reasonOf(error)}`, {
      cause: error,
    })
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of the path is a file',
  EACCES: 'no permission to write there',
  EPERM: 'no permission to write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EISDIR: 'it is a folder',
}

/** Why a file cannot be written, in words. */
export function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return reasons[code] ?? message
}
