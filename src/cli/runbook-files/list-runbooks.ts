import { readdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Io } from '../io.ts'

/** A runbook that can be named instead of its file. */
export interface NamedRunbook {
  readonly name: string
  readonly file: string
}

/** The folders whose runbooks have names: `runbooks` here, then the one of the package. */
function runbookFolders({ workingDirectory }: Io): readonly string[] {
  // Asked for by the name of the package: the build does not leave this module where it lies in the source.
  const ofPackage = fileURLToPath(new URL('runbooks', import.meta.resolve('opsbook/package.json')))
  return [...new Set([join(workingDirectory, 'runbooks'), ofPackage])]
}

/** The runbooks of those folders; of two with one name the first counts. */
export function listRunbooks(io: Io): Promise<readonly NamedRunbook[]> {
  return listFolders(runbookFolders(io))
}

/** The runbooks of the folder here alone: nobody has asked for what the package brings along. */
export function listOwnRunbooks({ workingDirectory }: Io): Promise<readonly NamedRunbook[]> {
  return listFolders([join(workingDirectory, 'runbooks')])
}

async function listFolders(folders: readonly string[]): Promise<readonly NamedRunbook[]> {
  const found = new Map<string, NamedRunbook>()
  for (const folder of folders) {
    for (const entry of (await readdir(folder).catch(() => [])).toSorted()) {
      const name = basename(entry, extname(entry))
      if (isYaml(entry) && !found.has(name)) found.set(name, { name, file: join(folder, entry) })
    }
  }
  return [...found.values()]
}

export function isYaml(file: string): boolean {
  return /\.ya?ml$/i.test(file)
}
