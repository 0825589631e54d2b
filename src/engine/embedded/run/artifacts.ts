import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { fileKey } from '../../../core/text/index.ts'
import { type CallArtifacts, checkFileName, fileIn, fileTaken } from '../../attempt/index.ts'
import type { CommitQueue } from '../database/commit-queue.ts'
import { sql } from '../database/sql.ts'

/** The artifacts of a run. No step can overwrite the file of another. */
export interface RunArtifacts {
  readonly folder: string
  /** Opens the artifacts for one call. `path` is the path of the step, or of the item of a loop. */
  forCall(path: string): CallArtifacts
  /**
   * Assigns a file that was set aside to a call that reuses the result of its writer. False if another call has claimed
   * the file since. True also if there is no such file.
   */
  takeOver(file: string, from: string, to: string): boolean
}

/** Creates the artifacts of a run in their folder, with a record of the call that wrote each file. */
export function createArtifacts(
  folder: string,
  database: DatabaseSyncInstance,
  queue: CommitQueue,
  runId: string,
): RunArtifacts {
  /** The files that calls are writing now, with the paths of those calls. */
  const writing = new Map<string, string>()

  /** The path of the call that owns the file. A call that ended without a file owns nothing. */
  const holderOf = (key: string): string | undefined => {
    const row = sql(database).get`SELECT file, path FROM artifacts WHERE run_id = ${runId} AND key = ${key}`
    const hasWritten = row !== undefined && existsSync(join(folder, String(row['file'])))
    return writing.get(key) ?? (hasWritten ? String(row['path']) : undefined)
  }
  const claim = (name: string, path: string): string => {
    const key = fileKey(name)
    const holder = holderOf(key)
    if (holder !== undefined && holder !== path) throw fileTaken(name, holder)
    if (!writing.has(key)) {
      queue.batch(() => {
        sql(database).run`
          INSERT INTO artifacts (run_id, key, file, path) VALUES (${runId}, ${key}, ${name}, ${path})
          ON CONFLICT (run_id, key) DO UPDATE SET file = excluded.file, path = excluded.path`
        sql(database).run`DELETE FROM artifacts WHERE run_id = ${runId} AND key = ${aside + key}`
      })
    }
    writing.set(key, path)
    return key
  }
  return {
    folder,
    takeOver(file, from, to) {
      const key = fileKey(file)
      const row = sql(database).get`
        SELECT file, path FROM artifacts WHERE run_id = ${runId} AND key = ${aside + key}`
      if (row === undefined || row['path'] !== from || writing.has(key)) return holderOf(key) === undefined
      // No other call can claim it until that is written.
      writing.set(key, to)
      queue.batch(() => {
        sql(database).run`
          UPDATE artifacts SET key = ${key}, path = ${to} WHERE run_id = ${runId} AND key = ${aside + key}`
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

/** Prefix of the keys of files whose calls a resume with changes has set aside. File systems refuse it in names. */
const aside = '<'

/** Allows every file to be claimed by another call; to be called in a transaction. */
export function setFilesAside(database: DatabaseSyncInstance, runId: string): void {
  sql(database).run`
    UPDATE OR REPLACE artifacts SET key = ${aside} || key
    WHERE run_id = ${runId} AND substr(key, 1, 1) <> ${aside}`
}
