import { closeSync, lstatSync, openSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { withoutMark } from '../../core/text/index.ts'
import { runbookLimits } from '../../load/file/index.ts'
import { isNamedInside, staysInside } from '../files/inside-repository.ts'
import { refuseSpecial, specialFile } from '../files/special-file.ts'

/** The text of a file, or why it cannot be read. */
export type FileText = { readonly text: string } | { readonly problem: FileProblem }

export interface FileProblem {
  readonly code: 'FILE_NOT_FOUND' | 'FILE_IS_FOLDER' | 'FILE_UNREADABLE' | 'FILE_OUTSIDE'
  readonly message: string
  readonly hint?: string
}

/** One byte more than the largest runbook, so that the loader can refuse a larger one. */
const mostBytes: number = runbookLimits.bytes + 1

/**
 * Reads a runbook, at most one byte more than the limit. Invalid UTF-8 becomes U+FFFD. `by`: the file or folder in the
 * repository that brought it up; left out where the user named it.
 */
export function readRunbookText(path: string, by?: string): FileText {
  try {
    if (by === undefined ? !staysInside(path) : !isNamedInside(path, by)) return { problem: outside }
    const special = specialFile(path)
    if (special !== undefined)
      return { problem: { code: 'FILE_UNREADABLE', message: `it is ${special}, not a file` } }
    return { text: withoutMark(readBeginning(path).toString()) }
  } catch (error) {
    return { problem: problemOf(error as NodeJS.ErrnoException, path) }
  }
}

const outside: FileProblem = {
  code: 'FILE_OUTSIDE',
  message: 'it is a link that leads out of the repository',
  hint: 'copy the file into the repository, or name the place that the link leads to',
}

/** Reads a runbook from a stream, at most one byte more than the limit. */
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

/** Reads the start of a file. A pipe returns what it has, so it is read until its end. */
function readBeginning(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(mostBytes)
    let length = 0
    while (length < mostBytes) {
      const bytesRead = readSync(file, buffer, length, mostBytes - length, null)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return buffer.subarray(0, length)
  } finally {
    closeSync(file)
  }
}

function problemOf({ code, message }: NodeJS.ErrnoException, path: string): FileProblem {
  if (code === 'ENOENT' && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    return { code: 'FILE_UNREADABLE', message: 'it is a link to a file that is not there' }
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return { code: 'FILE_NOT_FOUND', message: 'there is no such file' }
  if (code === 'EISDIR') return { code: 'FILE_IS_FOLDER', message: 'it is a folder' }
  if (code === 'EACCES' || code === 'EPERM')
    return { code: 'FILE_UNREADABLE', message: 'no permission to read it' }
  return { code: 'FILE_UNREADABLE', message: `it cannot be read: ${message}` }
}

/** Reads what a file names, by the path from its folder. Undefined: it cannot be read; null: it is not in the repository. */
export function readBeside(
  file: string,
  read: (path: string) => Uint8Array = readBeginning,
): (path: string) => Uint8Array | null | undefined {
  const folder = dirname(file)
  return (path) => {
    try {
      const named = join(folder, path)
      if (!isNamedInside(named, file)) return null
      refuseSpecial(named)
      return read(named)
    } catch {
      return undefined
    }
  }
}
