import { suggest } from '../../core/text/index.ts'
import { CommandError } from '../command-error.ts'

/** The known word that a person gave. `lack` begins what is said where there is none, such as `there is no status`. */
export function readWord<Word extends string>(given: string, known: readonly Word[], lack: string): Word {
  const word = known.find((name) => name === given)
  if (word !== undefined) return word
  throw new CommandError('usage', `${lack} "${given}"`, { hints: [suggest(given, known)] })
}

/** The known words that a person gave, one by one or with commas between them. */
export function readWords<Word extends string>(
  given: readonly string[],
  known: readonly Word[],
  lack: string,
): readonly Word[] {
  return given.flatMap((list) => list.split(',')).map((word) => readWord(word.trim(), known, lack))
}
