import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileIn } from '../attempt/index.ts'

/** How often a worker renews its mark. */
const renewMs = 60_000
/** A mark that was not renewed for this long does not count. Ten intervals: clocks differ, and disks can be slow. */
const staleMs = 10 * renewMs

/**
 * Writes the mark of a worker into the directory for the files of runs, and renews it until the returned function is
 * called. A command that finds the mark shares that directory with the worker. Write errors are ignored.
 */
export async function keepMark(dataDir: string, identity: string): Promise<() => void> {
  const leave = async (): Promise<void> => {
    await writeFile(await fileIn(marksFolder(dataDir), nameOf(identity)), '')
    // Marks of workers that have ended.
    for (const [name, renewedMs] of await readAll(dataDir))
      if (Date.now() - renewedMs > staleMs) await rm(join(marksFolder(dataDir), name), { force: true })
  }
  await leave().catch(() => {})
  const timer = setInterval(() => void leave().catch(() => {}), renewMs).unref()
  return () => clearInterval(timer)
}

/** The workers, by their identities, without a current mark in a directory. */
export async function findUnmarked(
  dataDir: string,
  identities: readonly string[],
): Promise<readonly string[]> {
  const marks = await readAll(dataDir)
  return identities.filter((one) => Date.now() - (marks.get(nameOf(one)) ?? 0) > staleMs)
}

function nameOf(identity: string): string {
  return encodeURIComponent(identity)
}

function marksFolder(dataDir: string): string {
  return join(dataDir, 'workers')
}

/** When each was renewed, by its name. */
async function readAll(dataDir: string): Promise<ReadonlyMap<string, number>> {
  const folder = marksFolder(dataDir)
  const names = await readdir(folder).catch(() => [])
  const rows = names.map(async (name) => {
    const found = await stat(join(folder, name)).catch(() => undefined)
    return [name, found?.mtimeMs ?? 0] as const
  })
  return new Map(await Promise.all(rows))
}
