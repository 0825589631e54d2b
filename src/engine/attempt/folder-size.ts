import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** What the files in a folder take, and when one of them was last written. */
export interface FolderSize {
  readonly bytes: number
  /** Unix time in milliseconds; 0: there is no file. */
  readonly writtenMs: number
}

/** A folder that is not there holds nothing. */
export async function folderSize(folder: string): Promise<FolderSize> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  let [bytes, writtenMs] = [0, 0]
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const file = await lstat(join(entry.parentPath, entry.name)).catch(() => undefined)
    if (!file) continue
    bytes += file.size
    writtenMs = Math.max(writtenMs, file.mtimeMs)
  }
  return { bytes, writtenMs }
}
