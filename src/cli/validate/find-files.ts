import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Io } from '../io.ts'
import { isYaml } from '../runbook-files/list-runbooks.ts'

/**
 * A place to look at. `named`: somebody named this file; `found`: it lies in a folder that was named; `again`: it had
 * its turn before; `unreadable`: a folder that cannot be listed; `end`: all of a named folder has been seen.
 */
export interface FoundPlace {
  readonly how: 'stdin' | 'named' | 'found' | 'again' | 'unreadable' | 'end'
  /** As people know it: relative paths stay relative. */
  readonly path: string
}

/** The files at the paths, one by one, in the order of the paths and of names in a folder; each comes once. */
export async function* findFiles(paths: readonly string[], io: Io): AsyncGenerator<FoundPlace> {
  const seen = new Set<string>()
  const once = (how: 'named' | 'found', path: string): FoundPlace => {
    const absolute = resolve(io.workingDirectory, path)
    if (seen.has(absolute)) return { how: 'again', path }
    seen.add(absolute)
    return { how, path }
  }
  for (const path of new Set(paths)) {
    if (path === '-') yield { how: 'stdin', path }
    else if (await isFolder(resolve(io.workingDirectory, path))) {
      for await (const place of walk(path, io))
        yield place.how === 'found' ? once('found', place.path) : place
      yield { how: 'end', path }
    } else yield once('named', path)
  }
}

/** The YAML files under a folder. Hidden folders, dependencies, the configuration and links to folders are left out. */
async function* walk(folder: string, io: Io): AsyncGenerator<FoundPlace> {
  const absolute = resolve(io.workingDirectory, folder)
  const entries = await readdir(absolute, { withFileTypes: true }).catch(() => undefined)
  if (entries === undefined) yield { how: 'unreadable', path: folder }
  for (const entry of (entries ?? []).toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (!entry.name.startsWith('.') && entry.name !== 'node_modules') yield* walk(path, io)
    } else if (isYaml(entry.name) && entry.name !== 'opsbook.yaml' && (await isFile(entry, absolute))) {
      yield { how: 'found', path }
    }
  }
}

/** A pipe would be waited for, and a link can lead back to a folder above. A link to nothing is worth a finding. */
async function isFile(entry: Dirent, folder: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile()
  const target = await stat(join(folder, entry.name)).catch(() => undefined)
  return target === undefined || target.isFile()
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() ?? false
}
