import { resolve } from 'node:path'
import type { Io } from '../io.ts'
import { type FileText, readRunbookText, readStreamText } from '../runbook-files/read-runbook-text.ts'
import type { FileCode } from './file-rules.ts'
import { type FoundPlace, findFiles } from './find-files.ts'
import { readAhead } from './read-ahead.ts'

/** A file to check, why there is nothing to check, or a YAML file of somebody else. `file` is the name people know. */
export type GatheredFile =
  | { readonly file: string; readonly text: string }
  | { readonly file: string; readonly problem: { readonly code: FileCode; readonly message: string } }
  | { readonly file: string; readonly isOther: true }

interface ReadPlace extends FoundPlace {
  readonly read?: FileText
}

/** Reads files as they are named, folders with everything in them that looks like a runbook, and `-` from stdin. */
export async function* gatherFiles(
  paths: readonly string[],
  stdinName: string,
  io: Io,
): AsyncGenerator<GatheredFile> {
  let inFolder = 0
  for await (const { how, path, read } of readAhead(findFiles(paths, io), (place) => readPlace(place, io))) {
    if (how === 'again') inFolder++
    else if (how === 'unreadable') {
      yield { file: path, problem: { code: 'FILE_UNREADABLE', message: 'the folder cannot be read' } }
    } else if (how === 'end') {
      if (inFolder === 0) yield { file: path, problem: noRunbooks }
      inFolder = 0
    } else if (read && how === 'found' && 'text' in read && !looksLikeRunbook(read.text)) {
      yield { file: path, isOther: true }
    } else if (read) {
      if (how === 'found') inFolder++
      yield { file: how === 'stdin' ? stdinName : path, ...read }
    }
  }
}

const noRunbooks = {
  code: 'FOLDER_WITHOUT_RUNBOOKS',
  message: 'there is no runbook in this folder',
} as const

async function readPlace(place: FoundPlace, io: Io): Promise<ReadPlace> {
  const { how, path } = place
  if (how === 'stdin') return { ...place, read: { text: await readStreamText(io.stdin) } }
  if (how !== 'named' && how !== 'found') return place
  return { ...place, read: await readRunbookText(resolve(io.workingDirectory, path)) }
}

const namesRunbook = /^[\s{]*["']?apiVersion["']?\s*:\s*["']?opsbook\b/m
const namesVersion = /^["']?apiVersion["']?\s*:/m
const hasSteps = /^["']?steps["']?\s*:/m

/** Other tools keep YAML files too, some with an `apiVersion`, some with `steps`: with both it is one of ours, misspelt. */
function looksLikeRunbook(text: string): boolean {
  return namesRunbook.test(text) || (namesVersion.test(text) && hasSteps.test(text))
}
