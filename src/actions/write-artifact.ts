import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { openPartialFile } from '../api/session-record/partial-file.ts'
import type { JsonValue } from '../core/json.ts'
import type { Artifacts } from './action.ts'

/** A file that a run has made, as outputs tell of it. */
export interface WrittenArtifact {
  /** Relative to the artifacts of the run. */
  readonly path: string
  readonly bytes: number
  /** In hex. */
  readonly sha256: string
}

/** Writes a file of the run: a text as it is, anything else as JSON. The file is there when it is whole. */
export async function writeArtifact(
  artifacts: Artifacts,
  name: string,
  content: JsonValue,
): Promise<WrittenArtifact> {
  const file = await artifacts.fileFor(name)
  const text = typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`
  const bytes = Buffer.from(text)
  await replaceFile(file, bytes)
  return {
    path: relative(artifacts.folder, file),
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }
}

/** The file has the old content or the new one, whenever the process ends. */
async function replaceFile(target: string, bytes: Buffer): Promise<void> {
  const file = await openPartialFile(target)
  try {
    await file.append(bytes)
    await file.complete()
  } catch (error) {
    await file.discard()
    throw error
  }
}
