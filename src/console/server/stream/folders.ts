import type { ConsoleReads } from '../reads.ts'
import { createRunFolder, type RunFolder } from './run-folder.ts'

/** The folds of the runs that are watched now: one for each run, however many pages watch it. */
export interface Folders {
  /** The fold of a run, by its id or what stands for it, with all its events so far. Rejects if there is no such run. */
  open(given: string): Promise<RunFolder>
  close(): void
}

/** How long a fold is kept after its last use, in milliseconds. */
const keptMs = 60_000
const lookMs = 5000

interface Kept {
  readonly opened: Promise<RunFolder>
  usedMs: number
}

/** `now`: Unix time in milliseconds. */
export function createFolders(
  reads: Pick<ConsoleReads, 'runId' | 'watch'>,
  onFailure: (error: unknown) => void,
  now: () => number = Date.now,
): Folders {
  const folders = new Map<string, Kept>()
  const forget = (runId: string): void => {
    const kept = folders.get(runId)
    folders.delete(runId)
    kept?.opened.then((folder) => folder.close()).catch(() => {})
  }
  const timer = setInterval(async () => {
    for (const [runId, kept] of folders) {
      const folder = await kept.opened.catch(() => undefined)
      if (folder !== undefined && folder.viewers > 0) kept.usedMs = now()
      else if (now() - kept.usedMs > keptMs) forget(runId)
    }
  }, lookMs).unref()
  const open = async (runId: string): Promise<RunFolder> =>
    createRunFolder(await reads.watch(runId), (error) => {
      forget(runId)
      onFailure(error)
    })
  return {
    async open(given) {
      // "latest" may be another run than at the request before.
      const runId = await reads.runId(given)
      const kept = folders.get(runId) ?? { opened: open(runId), usedMs: now() }
      folders.set(runId, kept)
      kept.usedMs = now()
      try {
        const folder = await kept.opened
        await folder.ready
        return folder
      } catch (error) {
        forget(runId)
        throw error
      }
    },
    close() {
      clearInterval(timer)
      for (const runId of folders.keys()) forget(runId)
    },
  }
}
