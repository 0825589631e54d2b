import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { isOpenAlready } from './special-file.ts'

/**
 * The folder that no file of a repository may lead out of: that of the nearest `.git`, else of `opsbook.yaml`. Undefined
 * where there is neither. A folder that is a link counts last: it may be the link that leads out.
 */
function repositoryOf(file: string): string | undefined {
  const folders = foldersAbove(dirname(file))
  const own = folders.filter((folder) => !isLink(folder))
  const holds = (name: string) => (folder: string) => existsSync(join(folder, name))
  return [own, folders]
    .flatMap((some) => [some.find(holds('.git')), some.find(holds('opsbook.yaml'))])
    .find(Boolean)
}

/** Whether a file that a user named is no link that leads out of its repository. What is open already is no file. */
export function staysInside(file: string): boolean {
  const root = repositoryOf(file)
  return root === undefined || isOpenAlready(file) || isInside(file, root)
}

/**
 * Whether a path that a file of the repository names stays in it: as it is written, and after each link. `by` is the file
 * that names it. Without a repository, its folder is the root. What git keeps for itself is outside: it can hold tokens.
 */
export function isNamedInside(path: string, by: string): boolean {
  return isInside(path, repositoryOf(by) ?? dirname(by))
}

function isInside(path: string, root: string): boolean {
  return isBelow(path, root) && isBelow(realPath(path), realPath(root))
}

function isBelow(path: string, root: string): boolean {
  const way = relative(root, path)
  const parts = way.toLowerCase().split(sep)
  return way !== '' && parts[0] !== '..' && !parts.includes('.git') && !isAbsolute(way)
}

/** The real path. Of what does not exist, that of the nearest folder that does, with the rest. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const folder = dirname(path)
    return folder === path ? path : join(realPath(folder), relative(folder, path))
  }
}

function foldersAbove(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...foldersAbove(parent)]
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}
