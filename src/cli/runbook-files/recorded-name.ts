import { CommandError } from '../command-error.ts'
import type { Io } from '../io.ts'
import { findRunbook } from './find-runbook.ts'
import { guessName } from './guess-name.ts'

/** The name that runs of a runbook are recorded under, found by its file too; where there is none, the name as given. */
export async function recordedName(named: string, io: Io): Promise<string> {
  try {
    return await guessName(await findRunbook(named, io))
  } catch (error) {
    if (error instanceof CommandError) return named
    throw error
  }
}
