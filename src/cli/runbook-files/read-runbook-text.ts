import { type FileHandle, open } from 'node:fs/promises'
import type { Readable } from 'node:stream'

/** A file's text, or why it has none. */
export type FileText = { readonly text: string } | { readonly problem: FileProblem }

export interface FileProblem {
  readonly code: 'FILE_NOT_FOUND' | 'FILE_IS_FOLDER' | 'FILE_UNREADABLE'
  readonly message: string
}

/** One byte more than the largest runbook: enough for the loader to say that it is too large. */
export const mostBytes: number = 256 * 1024 + 1

/** Reads a runbook; of a file that is far too large only the beginning. Bytes that are no UTF-8 become U+FFFD. */
export async function readRunbookText(path: string): Promise<FileText> {
  try {
    const file = await open(path, 'r')
    try {
      if ((await file.stat()).isDirectory())
        return { problem: { code: 'FILE_IS_FOLDER', message: 'it is a folder' } }
      return { text: withoutMark(await readBeginning(file)) }
    } finally {
      await file.close()
    }
  } catch (error) {
    return { problem: problemOf(error as NodeJS.ErrnoException) }
  }
}

/** Reads a runbook from a stream, as far as it would read a file. */
export async function readStreamText(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk)
    chunks.push(bytes)
    length += bytes.length
    if (length >= mostBytes) break
  }
  return withoutMark(Buffer.concat(chunks).toString('utf8', 0, mostBytes))
}

/** A pipe gives what it has at the moment: read on until there is no more. */
async function readBeginning(file: FileHandle): Promise<string> {
  const buffer = Buffer.alloc(mostBytes)
  let length = 0
  while (length < mostBytes) {
    const { bytesRead } = await file.read(buffer, length, mostBytes - length, null)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.toString('utf8', 0, length)
}

function problemOf({ code, message }: NodeJS.ErrnoException): FileProblem {
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return { code: 'FILE_NOT_FOUND', message: 'there is no such file' }
  if (code === 'EACCES' || code === 'EPERM') {
    return { code: 'FILE_UNREADABLE', message: 'no permission to read it' }
  }
  return { code: 'FILE_UNREADABLE', message: `it cannot be read: ${message}` }
}

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}
