import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Creates a folder and its parents. The recursive `mkdir` of Node never returns in folders like /proc. */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  const make = async (): Promise<void> => void (await mkdir(folder, mode === undefined ? {} : { mode }))
  try {
    await make()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return
    const parent = dirname(folder)
    if (code !== 'ENOENT' || existsSync(parent)) throw error
    await makeFolder(parent, mode)
    await make()
  }
}
