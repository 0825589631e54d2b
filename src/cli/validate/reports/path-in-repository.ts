import { relative, resolve, sep } from 'node:path'
import type { Io } from '../../io.ts'

/** A file as the host of the code knows it: from the root of the repository where that is known, with slashes. */
export function pathInRepository(file: string, { env, workingDirectory }: Io): string {
  const root = env['GITHUB_WORKSPACE'] || workingDirectory
  const path = relative(root, resolve(workingDirectory, file))
  const isOutside = path === '' || path.startsWith('..')
  return (isOutside ? file : path).split(sep).join('/')
}
