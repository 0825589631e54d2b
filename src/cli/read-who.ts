import { systemUser } from '../engine/record/system-user.ts'
import { CommandError } from './command-error.ts'
import { exitCodes } from './exit-codes.ts'

/** The flags that say who wants something, and why. */
export interface WhoFlags {
  readonly by?: string
  readonly comment?: string
}

const longestName = 200
const longestComment = 4000

/** Who wants something, and why, as it is recorded. The default is the system user. */
export function readWho({ by = systemUser(), comment }: WhoFlags): {
  readonly by: string
  readonly comment?: string
} {
  if (by.trim() === '') throw new CommandError(exitCodes.usage, '--by is empty; an unset variable, perhaps')
  refuseLong('--by', by, longestName)
  refuseLong('--comment', comment ?? '', longestComment)
  return { by, ...(comment === undefined || comment === '' ? {} : { comment }) }
}

function refuseLong(flag: string, { length }: string, most: number): void {
  if (length > most)
    throw new CommandError(exitCodes.usage, `${flag} has ${length} characters; at most ${most} are recorded`)
}
