import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { type CallArtifacts, checkFileName, fileIn, fileKey, fileTaken } from '../attempt/artifact-files.ts'
import type { CommitQueue } from './commit-queue.ts'

/** The artifacts of a run. No step takes the file of another. */
export interface RunArtifacts {
  readonly folder: string
  /** What a call writes with; the path is that of the step, or of the item of a loop. */
  forCall(path: string): CallArtifacts
  /**
   * Gives a file that was set aside to a call that takes over what its writer did. False where another call has taken it
   * since; true also where there is no such file.
   */
  takeOver(file: string, from: string, to: string): boolean
}

/** Artifacts in a folder of their own, with a record of which call has made which. */
export function createArtifacts(
  folder: string,
  database: DatabaseSyncInstance,
  queue: CommitQueue,
  runId: string,
): RunArtifacts {
  const select = database.prepare('SELECT file, path FROM artifacts WHERE run_id = ? AND key = ?')
  const upsert = database.prepare(
    `INSERT INTO artifacts (run_id, key, file, path) VALUES (?, ?, ?, ?)
     ON CONFLICT (run_id, key) DO UPDATE SET file = excluded.file, path = excluded.path`,
  )
  const removeAside = database.prepare('DELETE FROM artifacts WHERE run_id = ? AND key = ?')
  const giveOver = database.prepare('UPDATE artifacts SET key = ?, path = ? WHERE run_id = ? AND key = ?')
  /** Files that calls are writing now, and the paths of those calls. */
  const writing = new Map<string, string>()

  /** The path of another call that has the file. One that has ended without a file has left the name free. */
  const holderOf = (key: string): string | undefined => {
    const row = select.get(runId, key)
    const hasWritten = row !== undefined && existsSync(join(folder, String(row['file'])))
    return writing.get(key) ?? (hasWritten ? String(row['path']) : undefined)
  }
  const claim = (name: string, path: string): string => {
    const key = fileKey(name)
    const holder = holderOf(key)
    if (holder !== undefined && holder !== path) throw fileTaken(name, holder)
    if (!writing.has(key)) {
      queue.ride(() => {
        upsert.run(runId, key, name, path)
        removeAside.run(runId, aside + key)
      })
    }
    writing.set(key, path)
    return key
  }
  return {
    folder,
    takeOver(file, from, to) {
      const key = fileKey(file)
      const row = select.get(runId, aside + key)
      if (row === undefined || row['path'] !== from || writing.has(key)) return holderOf(key) === undefined
      // Nobody else takes it until that is written.
      writing.set(key, to)
      queue.ride(() => {
        giveOver.run(key, to, runId, aside + key)
        writing.delete(key)
      })
      return true
    },
    forCall(path) {
      const claimed: string[] = []
      return {
        folder,
        async fileFor(name) {
          checkFileName(name)
          claimed.push(claim(name, path))
          return fileIn(folder, name)
        },
        release() {
          for (const key of claimed) writing.delete(key)
        },
      }
    },
  }
}

/** Before the keys of files whose calls an amendment has set aside. No name has it: file systems refuse it. */
const aside = '<'

/** Lets every file be taken by the call that wants it; to be called in a transaction. */
export function setFilesAside(database: DatabaseSyncInstance, runId: string): void {
  database
    .prepare(
      `UPDATE OR REPLACE artifacts SET key = '${aside}' || key WHERE run_id = ? AND key NOT LIKE '${aside}%'`,
    )
    .run(runId)
}
