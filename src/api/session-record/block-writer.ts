import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** Writes a new file from its beginning to its end. */
export interface BlockWriter {
  /** Writes after everything that was given before, whether that is written yet or not. */
  append(bytes: Uint8Array): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/** What the length of a direct write is a multiple of. */
const directBytes = 4096

/**
 * Opens a new file. Whole blocks go to disk directly where the system can do that, past the cache: a file of any
 * size takes no memory from others, costs half the time, and is on disk already when it has been written.
 */
export async function openBlockWriter(path: string): Promise<BlockWriter> {
  const cached = await open(path, 'wx')
  let direct: Promise<FileHandle | undefined> | undefined
  let isRefused = false
  let size = 0

  const writeDirectly = async (bytes: Uint8Array, position: number): Promise<number> => {
    if (isRefused || bytes.length % directBytes !== 0) return 0
    direct ??= openDirectly(path)
    try {
      const written = await (await direct)?.write(bytes, 0, bytes.length, position)
      return written?.bytesWritten ?? 0
    } catch {
      // The file system knows the flag but takes other borders, or there is a reason that the cache reports as well.
      isRefused = true
      return 0
    }
  }

  return {
    async append(bytes) {
      let position = size
      size += bytes.length
      for (let rest = bytes; rest.length > 0; ) {
        const written =
          (await writeDirectly(rest, position)) ||
          (await cached.write(rest, 0, rest.length, position)).bytesWritten
        position += written
        rest = rest.subarray(written)
      }
    },
    sync: () => cached.sync(),
    async close() {
      await (await direct)?.close()
      await cached.close()
    },
  }
}

/** `undefined` where the system or the file system knows no direct writing. */
async function openDirectly(path: string): Promise<FileHandle | undefined> {
  const flag: number | undefined = constants.O_DIRECT
  return flag === undefined ? undefined : open(path, constants.O_WRONLY | flag).catch(() => undefined)
}
