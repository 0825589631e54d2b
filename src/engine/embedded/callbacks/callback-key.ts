import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The key that the tokens of callbacks are made with. Undefined: no run of the data directory has a callback yet. */
export function readCallbackKey(dataDir: string): string | undefined {
  try {
    return readFileSync(fileIn(dataDir), 'utf8') || undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The same; the first caller creates it. Only the user of this process can read the file. */
export function openCallbackKey(dataDir: string): string {
  const known = readCallbackKey(dataDir)
  if (known !== undefined) return known
  const file = fileIn(dataDir)
  const own = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  writeFileSync(own, randomBytes(32).toString('hex'), { mode: 0o600, flush: true })
  try {
    // Never replaces the key of another process.
    linkSync(own, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(own, { force: true })
  }
  return readFileSync(file, 'utf8')
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'callback.key')
}
