import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Of a file that was being written when its process ended; whoever writes it again begins under another name. */
const leftover = /\.[0-9a-f]{8}\.partial$/

/** Removes what a process that ended was still writing. Only for a run that nobody else carries out. */
export async function removeLeftovers(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile() && leftover.test(entry.name))
  await Promise.all(files.map(({ parentPath, name }) => rm(join(parentPath, name), { force: true })))
}
