import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { readReference } from './read-reference.ts'

/** A key, and what is worth saying about where it was found. */
export interface ResolvedKey {
  readonly appKey: string
  readonly warnings: readonly string[]
}

/** The key that `env:NAME` or `file:PATH` stands for. The key is in no message. */
export async function resolveKey(reference: string, folder: string, io: Io): Promise<ResolvedKey> {
  const read = await readReference(reference, folder, io)
  if ('text' in read) return { appKey: checkKey(read.text, read.place), warnings: read.warnings }
  throw lacking(`there is no app key: ${read.place} ${read.problem}`, [
    `${read.hint}, or change "app-key" in opsbook.yaml`,
  ])
}

/** Keys are one word; editors and `echo` leave a line break behind it. */
export function checkKey(text: string, place: string): string {
  const key = text.trim()
  if (key === '') throw lacking(`${place} is empty`, ['it should hold the app key and nothing else'])
  if (/\s|\p{Cc}/u.test(key))
    throw lacking(`${place} holds more than a key`, ['it should hold the app key and nothing else'])
  return key
}

function lacking(message: string, hints: readonly string[]): CommandError {
  return new CommandError(exitCodes.environment, message, { hints })
}
