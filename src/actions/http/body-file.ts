import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { RunbookError } from '../../core/run-error.ts'
import { exactSize } from '../../core/text/index.ts'
import type { Artifacts } from '../action.ts'

/** A larger file is not sent, in bytes: it is held in memory. */
export const mostBodyFileBytes: number = 100 * 1024 * 1024

/**
 * The content of a file of the run. Throws `InvalidInput` for a name that leads out of its folder, for a file that
 * is not there, and for one that is too large.
 */
export async function readBodyFile({ folder }: Artifacts, name: string): Promise<Buffer> {
  const refuse = (what: string): RunbookError =>
    new RunbookError('InvalidInput', `body-file "${name}" ${what}; nothing was sent`, { notSent: true })
  const file = resolve(folder, name)
  if (isAbsolute(name) || !isInside(folder, file)) throw refuse('is not among the files of the run')
  const handle = await openFile(folder, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw refuse('is not there: an earlier step writes it with save-as')
    throw refuse(`cannot be read (${error.code ?? error.message})`)
  })
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw refuse('is not a file')
    const { size } = found
    if (size > mostBodyFileBytes) throw refuse(`is larger than ${exactSize(mostBodyFileBytes)}`)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** No link leads out of the folder: the real path is what is opened, and its last part is no link. */
async function openFile(folder: string, file: string): Promise<FileHandle> {
  const real = await realpath(file)
  if (!isInside(await realpath(folder), real)) throw new Error('a link leads out of the folder of the run')
  // A command of a step can have made a named pipe, and opening one waits for who writes to it.
  return open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
}

function isInside(folder: string, file: string): boolean {
  const way = relative(folder, file)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
