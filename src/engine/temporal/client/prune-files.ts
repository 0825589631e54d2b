import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import { artifactsFolder, claimsFolder, folderSize } from '../../attempt/index.ts'
import { namespaceFile } from '../worker/file-claims.ts'

/** Whose files are removed. */
export interface PruneFilesOptions {
  readonly client: Client
  /** The directory that the workers share. */
  readonly dataDir: string
  /** Only runs whose last file was written before this Unix time in milliseconds. */
  readonly writtenBeforeMs: number
  /** Only says what would be removed. */
  readonly isDryRun?: boolean
}

/** A run that the server no longer keeps, and whose files were removed or would be. */
export interface ForgottenRun {
  readonly run_id: string
  /** RFC 3339: when its last file was written. */
  readonly written_at: string
  /** What its files took. */
  readonly artifact_bytes: number
}

/**
 * Removes the files of runs that the server no longer keeps. Keeps the files of all runs that the server knows, of
 * other namespaces and of the embedded engine. The next prune completes one that was killed.
 */
export async function pruneFiles(options: PruneFilesOptions): Promise<readonly ForgottenRun[]> {
  const { client, dataDir, writtenBeforeMs, isDryRun = false } = options
  const forgotten: ForgottenRun[] = []
  for (const runId of await readdir(claimsFolder(dataDir)).catch(() => [])) {
    const [claims, files] = [claimsFolder(dataDir, runId), artifactsFolder(dataDir, runId)]
    const [{ bytes, writtenMs }, claimed] = [await folderSize(files), await folderSize(claims)]
    const lastMs = Math.max(writtenMs, claimed.writtenMs)
    if (lastMs >= writtenBeforeMs || (await isKnown(client, claims, runId))) continue
    if (!isDryRun) {
      await rm(files, { recursive: true, force: true })
      // Last: by them a later removal finds what this one has left.
      await rm(claims, { recursive: true, force: true })
    }
    const written_at = new Date(lastMs).toISOString()
    forgotten.push({ run_id: runId, written_at, artifact_bytes: bytes })
  }
  return forgotten.toSorted((one, other) => Date.parse(one.written_at) - Date.parse(other.written_at))
}

/** A run of another namespace may well be known there. */
async function isKnown(client: Client, claims: string, runId: string): Promise<boolean> {
  const namespace = await readFile(join(claims, namespaceFile), 'utf8').catch(() => undefined)
  if (namespace !== undefined && namespace !== client.options.namespace) return true
  try {
    await client.workflow.getHandle(runId).describe()
    return true
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return false
    throw thrown
  }
}
