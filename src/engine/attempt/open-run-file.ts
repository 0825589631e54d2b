import { constants, type FileHandle, open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { Readable } from 'node:stream'
import type { RunFile } from '../index.ts'

/**
 * Opens a file of a run by the name that its record has for it. `recorded`: the names in the record. Undefined: the
 * record has no such name, or the file is not there. A symbolic link is not followed.
 */
export async function openRunFile(
  folder: string,
  recorded: readonly string[],
  name: string,
): Promise<RunFile | undefined> {
  const file = recorded.find((one) => one === name)
  if (file === undefined) return undefined
  const path = join(folder, file)
  const real = await Promise.all([realpath(folder), realpath(path)]).catch(() => undefined)
  if (!real || real[1] !== join(real[0], ...file.split('/')) || !real[1].startsWith(real[0] + sep))
    return undefined
  // Opening a named pipe would wait for who writes to it.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  const handle = await open(path, flags).catch(() => undefined)
  return handle && readOpened(handle, file)
}

async function readOpened(handle: FileHandle, file: string): Promise<RunFile | undefined> {
  const { size: bytes, isFile } = await handle
    .stat()
    .then((found) => ({ size: found.size, isFile: found.isFile() }))
  if (isFile && bytes > 0) {
    // No more than was there when it was opened: the size is sent first.
    return { file, bytes, content: handle.createReadStream({ end: bytes - 1 }) }
  }
  await handle.close()
  return isFile ? { file, bytes, content: Readable.from([]) } : undefined
}
