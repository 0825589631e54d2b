import { readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { isPartialName } from '../../../api/session-record/partial-file.ts'
import type { ArtifactRecord } from '../../../core/record/run-record.ts'
import { artifactsFolder } from '../../attempt/artifact-files.ts'
import { type ClaimedRun, findHolder } from '../worker/file-claims.ts'

/** The files of a run, as far as this machine sees the directory that its workers share. */
export async function listFiles(dataDir: string, run: ClaimedRun): Promise<readonly ArtifactRecord[]> {
  const folder = artifactsFolder(dataDir, run.runId)
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.flatMap((entry) => {
    const file = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')
    return entry.isFile() && !isPartialName(file) ? [file] : []
  })
  return Promise.all(
    files.toSorted().map(async (file) => {
      const path = (await findHolder(dataDir, run, file).catch(() => undefined)) ?? ''
      const { size } = await stat(join(folder, file))
      return { file, path, bytes: size }
    }),
  )
}
