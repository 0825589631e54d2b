import { randomBytes } from 'node:crypto'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { RunbookError } from '../../core/run-error.ts'

/** A partial file, written beside its target under another name. Everything rejects with `FileNotWritten`. */
export interface PartialFile {
  /** Writes all bytes at the end. To be awaited before the next call. */
  append(bytes: Uint8Array): Promise<void>
  /** Puts the file on disk and in the place of the target. */
  complete(): Promise<void>
  /** Keeps what there is beside the target and returns its path: `<target>.partial`. */
  keep(): Promise<string>
  /** Removes what there is. */
  discard(): Promise<undefined>
}

/** Bytes from one flush to the next, where the disk keeps up. */
const flushBytes = 64 * 1024 * 1024

/** Opens a partial file. Two for the same target do not collide. */
export async function openPartialFile(file: string): Promise<PartialFile> {
  const failing = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw fileNotWritten(file, error)
    }
  }
  const target = await failing(() => targetOf(file))
  const path = `${target}.${randomBytes(4).toString('hex')}.partial`
  const handle = await failing(() => open(path, 'wx'))
  let unflushedBytes = 0
  let flushed = Promise.resolve()
  let isFlushing = false
  return {
    append: (bytes) =>
      failing(async () => {
        await handle.appendFile(bytes)
        unflushedBytes += bytes.length
        if (unflushedBytes < flushBytes || isFlushing) return
        unflushedBytes = 0
        isFlushing = true
        // The disk writes while more bytes arrive. `complete` waits for it, and reports its failure.
        flushed = flushed
          .then(() => handle.datasync())
          .finally(() => {
            isFlushing = false
          })
        flushed.catch(() => {})
      }),
    complete: () =>
      failing(async () => {
        await flushed
        await handle.sync()
        await handle.close()
        await rename(path, target)
        await syncFolder(dirname(target))
      }),
    keep: () =>
      failing(async () => {
        await handle.close()
        const kept = `${target}.partial`
        return rename(path, kept).then(
          () => kept,
          () => path,
        )
      }),
    async discard() {
      await handle.close().catch(() => {})
      await rm(path, { force: true }).catch(() => {})
      return undefined
    },
  }
}

/** The target behind links. Refuses to replace anything but a regular file. */
async function targetOf(file: string): Promise<string> {
  const target = await realpath(file).catch(() => file)
  const there = await stat(target).catch(() => undefined)
  if (!there || there.isFile()) return target
  const [code, reason] = there.isDirectory()
    ? ['EISDIR', 'illegal operation on a directory']
    : ['EEXIST', 'not a regular file']
  throw Object.assign(new Error(`${code}: ${reason}`), { code })
}

/** The new name is on disk once the folder is. Not every system lets a folder be synchronised. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

/** Only errors of the system are about the file; others are defects and stay what they are. */
function fileNotWritten(file: string, error: unknown): unknown {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  if (!(error instanceof Error) || typeof code !== 'string') return error
  const folder = dirname(file)
  // `EACCES: permission denied, open '…'`: the call and its path are of no use to the reader.
  const reason = error.message.replace(/^([A-Z0-9_]+: )?/, '').replace(/, .*/s, '')
  const message = `cannot write ${file}: ${reason} (${code}) in folder ${folder}`
  return new RunbookError('FileNotWritten', message, {
    details: { reason: code, folder, path: file },
    cause: error,
  })
}
