import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** How many bytes the files in a folder hold. One that is not there holds none. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  let bytes = 0
  for (const entry of entries) {
    if (!entry.isFile()) continue
    bytes += await lstat(join(entry.parentPath, entry.name)).then(
      ({ size }) => size,
      () => 0,
    )
  }
  return bytes
}
