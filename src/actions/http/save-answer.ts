import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { openPartialFile } from '../../api/session-record/partial-file.ts'
import type { Span } from '../../core/mask/secret-index.ts'
import { RunbookError } from '../../core/run-error.ts'

import type { Artifacts } from '../action.ts'
import type { WrittenArtifact } from '../write-artifact.ts'
import { createStreamMask } from './mask-stream.ts'

/** A larger file is not written, in bytes. */
const mostBytes = 1024 * 1024 * 1024

/** A file that waits for the body of an answer. */
export interface AnswerFile {
  /** Writes the body without the secrets, as it comes; the file is there when it is whole. */
  write(chunks: AsyncIterable<Uint8Array>): Promise<WrittenArtifact>
  /** Leaves nothing behind. Does nothing once the file is written. */
  discard(): Promise<void>
}

/** Opens the file before anything is sent: what cannot be written must not have been asked for. */
export async function openAnswerFile(
  artifacts: Artifacts,
  name: string,
  secretsIn: (text: string) => readonly Span[],
): Promise<AnswerFile> {
  const file = await artifacts.fileFor(name)
  const partial = await openPartialFile(file)
  return {
    async write(chunks) {
      const mask = createStreamMask(secretsIn)
      const hash = createHash('sha256')
      let bytes = 0
      const append = async (piece: Buffer): Promise<void> => {
        bytes += piece.length
        if (bytes > mostBytes) throw new RunbookError('AnswerTooLarge', 'the answer is larger than 1 GiB')
        hash.update(piece)
        await partial.append(piece)
      }
      for await (const chunk of chunks) await append(mask.push(chunk))
      await append(mask.end())
      await partial.complete()
      return { path: relative(artifacts.folder, file), bytes, sha256: hash.digest('hex') }
    },
    discard: async () => void (await partial.discard()),
  }
}
