import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** All that lies in a folder, by the names of the files, which may tell something themselves. */
export function keptTexts(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [path, `${path}\n${readFileSync(path, 'latin1')}`]
    }),
  )
}
