import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const sources = fileURLToPath(new URL('../../..', import.meta.url))
const lockFile = join(sources, '../package-lock.json')
const folder = join(sources, '../node_modules/.cache/opsbook')

/**
 * The code of the workflows for the sources as they are: from the file of an earlier process, or from `bundle`, which
 * takes seconds. Only processes that run from the sources need it.
 */
export async function keepBundle(
  bundle: () => Promise<{ readonly code: string }>,
): Promise<{ code: string }> {
  let file: string | undefined
  try {
    file = join(folder, `workflows-${hashOfSources()}.js`)
    return { code: readFileSync(file, 'utf8') }
  } catch {
    const { code } = await bundle()
    if (file !== undefined) keep(file, code)
    return { code }
  }
}

/** Where the file cannot be written, or another process removes it unfinished, the next one bundles again. */
function keep(file: string, code: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    const unfinished = `${file}.${process.pid}`
    writeFileSync(unfinished, code)
    renameSync(unfinished, file)
    for (const other of readdirSync(folder))
      if (other.startsWith('workflows-') && join(folder, other) !== file) rmSync(join(folder, other))
  } catch {
    // This process has its code.
  }
}

/** Of all sources, and of the versions of the packages that they import. */
function hashOfSources(): string {
  const hash = createHash('sha256')
  const names = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  for (const path of [...names.toSorted().map((name) => join(sources, name)), lockFile])
    hash.update(`${path}\n`).update(readFileSync(path))
  return hash.digest('hex').slice(0, 32)
}
