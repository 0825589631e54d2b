import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { checkProgram } from './check-program.ts'
import { programFile } from './find-on-path.ts'
import { type FoundServer, type NotFound, notFound } from './way.ts'

const unfinished = '.unfinished-'

/**
 * Has the program made in a folder of its own, and moves it to its place in the cache when it runs: whoever looks there
 * sees a whole one or none.
 */
export async function install(
  folder: string,
  make: (workshop: string) => Promise<NotFound | undefined>,
): Promise<FoundServer | NotFound> {
  const workshop = await mkdtemp(join(folder, unfinished))
  try {
    const failure = await make(workshop)
    if (failure) return failure
    const made = join(workshop, programFile('temporal'))
    const why = await checkProgram(made)
    if (why !== undefined) return notFound(why)
    const path = join(folder, programFile('temporal'))
    await rename(made, path)
    return { kind: 'program', path }
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
}

/** Removes what a process that was killed has left half made. Only for whoever has the cache to itself. */
export async function removeUnfinished(folder: string): Promise<void> {
  const names = await readdir(folder)
  const left = names.filter((name) => name.startsWith(unfinished))
  await Promise.all(left.map((name) => rm(join(folder, name), { recursive: true, force: true })))
}
