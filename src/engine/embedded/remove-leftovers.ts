import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isPartialName } from '../../api/session-record/partial-file.ts'

/**
 * Removes what a process that ended was still writing: whoever writes it again begins under another name. Only for a run
 * that nobody else carries out. No step saves a file under such a name.
 */
export async function removeLeftovers(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile() && isPartialName(entry.name))
  await Promise.all(files.map(({ parentPath, name }) => rm(join(parentPath, name), { force: true })))
}
