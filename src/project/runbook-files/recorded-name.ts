import { basename, extname } from 'node:path'
import { CommandError } from '../command-error.ts'
import type { Surroundings } from '../surroundings.ts'
import { findRunbook } from './find-runbook.ts'
import { readRunbookText } from './read-runbook-text.ts'

/** The name of an invalid runbook: from its text if possible, else from its file. */
export function guessName(file: string): string {
  const read = readRunbookText(file)
  const [, name] = ('text' in read ? /^name:\s*["']?([^\s"'#]+)/m.exec(read.text) : undefined) ?? []
  return name ?? basename(file, extname(file))
}

/** The name under which runs of a runbook are recorded; if it is not found here, the given name. */
export async function recordedName(named: string, io: Surroundings): Promise<string> {
  try {
    return guessName(await findRunbook(named, io))
  } catch (error) {
    if (error instanceof CommandError) return named
    throw error
  }
}
