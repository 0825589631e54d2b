import { randomBytes } from 'node:crypto'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { RunbookError } from '../../core/run-error.ts'
import { openBlockWriter } from './block-writer.ts'

/** A file on its way: written beside its target under a name of its own. Everything rejects with `FileNotWritten`. */
export interface PartialFile {
  /** Writes after everything that was given before, whether that is written yet or not. */
  append(bytes: Uint8Array): Promise<void>
  /** Puts the file on disk and in the place of the target. */
  complete(): Promise<void>
  /** Keeps what there is beside the target and returns its path: `<target>.partial`. */
  keep(): Promise<string>
  /** Removes what there is. */
  discard(): Promise<undefined>
}

/** Whether a file is named like one that is on its way. */
export function isPartialName(name: string): boolean {
  return /\.[0-9a-f]{8}\.partial$/.test(name)
}

/** Opens a file beside the target. Two that are on their way to one target do not meet. */
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
  const writer = await failing(() => openBlockWriter(path))
  return {
    append: (bytes) => failing(() => writer.append(bytes)),
    complete: () =>
      failing(async () => {
        await writer.sync()
        await writer.close()
        await rename(path, target)
        await syncFolder(dirname(target))
      }),
    keep: () =>
      failing(async () => {
        await writer.close()
        const kept = `${target}.partial`
        return rename(path, kept).then(
          () => kept,
          () => path,
        )
      }),
    async discard() {
      await writer.close().catch(() => {})
      await rm(path, { force: true }).catch(() => {})
      return undefined
    },
  }
}

/** Where the file really is: a link stays a link. What is neither a file nor free is not replaced. */
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
