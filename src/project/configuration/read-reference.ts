import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { refuseSpecial } from '../files/special-file.ts'
import type { Surroundings } from '../surroundings.ts'
import { resolvePath } from './data-dir.ts'
import type { Configuration } from './read-configuration.ts'

/** The text of a reference, or why it cannot be read. No message contains the text. */
export type ReadReference =
  | { readonly place: string; readonly text: string; readonly warnings: readonly string[] }
  | { readonly place: string; readonly problem: string; readonly hint: string }

const mostBytes = 64 * 1024

/** Reads the text that `env:NAME` or `file:PATH` names; relative paths start at the folder of `opsbook.yaml`. */
export async function readReference(
  reference: string,
  { file }: Pick<Configuration, 'file'>,
  io: Surroundings,
): Promise<ReadReference> {
  const [kind, ...rest] = reference.split(':')
  const name = rest.join(':')
  const folder = file === undefined ? io.workingDirectory : dirname(file)
  if (kind === 'file') return readSecretFile(resolvePath(name, folder, io), name)
  const place = `the environment variable ${name}`
  const text = io.env[name]
  return text === undefined || text.trim() === ''
    ? { place, problem: 'is not set', hint: `set ${name}` }
    : { place, text, warnings: [] }
}

async function readSecretFile(path: string, name: string): Promise<ReadReference> {
  const place = `the file ${name}`
  try {
    refuseSpecial(path)
    const { mode, size } = await stat(path)
    if (size > mostBytes) return { place, problem: `is too large (${size} bytes)`, hint: 'name another one' }
    const isOpen = process.platform !== 'win32' && (mode & 0o004) !== 0
    const warning = `every user of this machine can read ${place}: chmod 600 ${name}`
    return { place, text: await readFile(path, 'utf8'), warnings: isOpen ? [warning] : [] }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const hint = code === 'ENOENT' ? 'create it' : 'check its permissions'
    return { place, problem: `cannot be read (${code})`, hint }
  }
}
