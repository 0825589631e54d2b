import { lstat, mkdir, readdir } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { Artifacts } from '../../actions/index.ts'
import { RunbookError } from '../../core/run-error.ts'
import { fileNameProblem, fileTakenText } from '../../core/text/index.ts'

/** The folder with the files of a run. */
export function artifactsFolder(dataDir: string, runId: string): string {
  return join(dataDir, 'runs', runId)
}

/**
 * The folder with the claims of all runs on workers, or of one run. It is next to their files, so every worker that
 * shares the files sees the claims.
 */
export function claimsFolder(dataDir: string, runId = ''): string {
  return join(dataDir, 'claims', runId)
}

/** The artifacts as one call sees them. */
export interface CallArtifacts extends Artifacts {
  /** The call has ended, and writes no more files. */
  release(): void
}

/**
 * The path of a file, after its folder was created. Rejects with `FileNotWritten` if the folder cannot be created, or
 * if the path contains a symbolic link, which could lead out of the folder of the run.
 */
export async function fileIn(folder: string, name: string): Promise<string> {
  const file = join(folder, name)
  const inner = relative(folder, dirname(file)).split(sep).filter(Boolean)
  const folders = inner.map((_, index) => join(folder, ...inner.slice(0, index + 1)))
  try {
    await mkdir(dirname(folder), { recursive: true, mode: 0o700 })
    for (const one of [folder, ...folders]) {
      await refuseLink(one)
      await mkdir(one, { recursive: true, mode: 0o700 })
    }
    await refuseLink(file)
  } catch (cause) {
    const message = `cannot make ${file}: ${(cause as Error).message}`
    throw new RunbookError('FileNotWritten', message, { cause, notSent: true })
  }
  return file
}

async function refuseLink(path: string): Promise<void> {
  const there = await lstat(path).catch(() => undefined)
  if (there?.isSymbolicLink()) throw new Error(`${path} is a symbolic link, which is not followed`)
}

/** Throws `InvalidInput` for a name that would leave the folder of the run, or that some file system refuses. */
export function checkFileName(name: string): void {
  const problem = fileNameProblem(name)
  if (problem) throw refused(`save-as "${name}" ${problem}`)
}

/** The error of a call that names the file of another call. `holder` is the path of that call. */
export function fileTaken(name: string, holder: string): RunbookError {
  return refused(`save-as "${name}" ${fileTakenText(holder)}`)
}

function refused(message: string): RunbookError {
  return new RunbookError('InvalidInput', `${message}; nothing was sent`, { notSent: true })
}

/** The bytes of the files in a folder. A missing folder is empty. */
export async function folderSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  let bytes = 0
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const file = await lstat(join(entry.parentPath, entry.name)).catch(() => undefined)
    bytes += file?.size ?? 0
  }
  return bytes
}
