import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Artifacts } from '../../actions/action.ts'
import { isPartialName } from '../../api/session-record/partial-file.ts'
import { RunbookError } from '../../core/run-error.ts'
import type { CommitQueue } from './commit-queue.ts'

const maxNameLength = 200
/** Names that Windows gives a meaning of their own, whatever the ending. */
const deviceName = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i

/** Where the files of a run lie. */
export function artifactsFolder(dataDir: string, runId: string): string {
  return join(dataDir, 'runs', runId)
}

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

/** The artifacts as one call sees them. */
export interface CallArtifacts extends Artifacts {
  /** The call has ended, and writes no more. */
  release(): void
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
    const key = keyOf(name)
    const holder = holderOf(key)
    if (holder !== undefined && holder !== path) throw taken(name, holder)
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
      const key = keyOf(file)
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
          const problem = nameProblem(name)
          if (problem) throw refused(`save-as "${name}" ${problem}`)
          claimed.push(claim(name, path))
          const file = join(folder, name)
          await makeFolder(dirname(file))
          return file
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

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const message = `cannot make the folder ${folder}: ${(cause as Error).message}`
    throw new RunbookError('FileNotWritten', message, { cause, notSent: true })
  }
}

/** One key for all names that some file system takes for one file. */
function keyOf(name: string): string {
  return name.replaceAll('\\', '/').normalize('NFC').toLowerCase()
}

function taken(name: string, holder: string): RunbookError {
  const isSameStep = holder.includes('[')
  const hint = isSameStep
    ? 'give each item a file of its own, such as save-as: "report-${{ index }}.json"'
    : 'give each step a file of its own'
  return refused(`save-as "${name}" is the file of ${holder}; ${hint}`)
}

function refused(message: string): RunbookError {
  return new RunbookError('InvalidInput', `${message}; nothing was sent`, { notSent: true })
}

function nameProblem(name: string): string | undefined {
  const parts = name.split(/[\\/]/)
  if (name.length > maxNameLength) return `is longer than ${maxNameLength} characters`
  if (/^[\\/]|^[a-z]:/i.test(name)) return 'is absolute; it must be relative to the artifacts of the run'
  if (parts.some((part) => part === '..' || part === '.' || part === ''))
    return 'leaves the folder of the run, or has an empty part'
  if (/[\p{Cc}<>:"|?*]/u.test(name)) return 'has characters that file systems refuse'
  if (parts.some((part) => deviceName.test(part) || /[. ]$/.test(part)))
    return 'is a name that file systems refuse'
  if (isPartialName(name))
    return 'is named like a file that is still being written, which is removed after a crash'
  return undefined
}
