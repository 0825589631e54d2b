import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { reasonOf, refuseSpecial } from '../../project/files/index.ts'
import { CommandError } from '../../project/index.ts'
import type { Io } from './io.ts'

/** Where a file that is to be read has a plainer reason than one that is to be written. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'no permission to read it',
}

/** The text of a file that the user named. Throws if it cannot be read; `what` is how the message calls it. */
export async function readGivenFile(named: string, io: Io, what?: string): Promise<string> {
  return (await readGivenBytes(named, io, what)).toString()
}

/** The same, as its bytes. */
export async function readGivenBytes(
  named: string,
  { workingDirectory }: Io,
  what: string = named,
): Promise<Buffer> {
  try {
    const path = resolve(workingDirectory, named)
    refuseSpecial(path)
    return await readFile(path)
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException
    const why = reasons[code] ?? reasonOf(cause)
    throw new CommandError('usage', `${what} cannot be read: ${why}`, { cause })
  }
}
