import type { Identity } from '../core/record/identity.ts'
import { systemIdentity } from '../engine/record/system-user.ts'
import { CommandError } from './command-error.ts'
import { exitCodes } from './exit-codes.ts'

/** The flags that say who wants something, and why. */
export interface WhoFlags {
  readonly by?: string
  readonly comment?: string
}

const longestName = 200
const longestComment = 4000

/** Who wants something, and why, as it is recorded: the system user, and beside it the name that `--by` gives. */
export function readWho({ by: given, comment }: WhoFlags): {
  readonly by: Identity
  readonly comment?: string
} {
  const own = systemIdentity()
  const by = given ?? own.name
  if (by.trim() === '') throw new CommandError(exitCodes.usage, '--by is empty; an unset variable, perhaps')
  refuseLong('--by', by, longestName)
  refuseLong('--comment', comment ?? '', longestComment)
  // Whoever may run commands can write any name: it never stands alone.
  const recorded: Identity = given === undefined ? own : { ...own, name: given, source: 'flag' }
  return { by: recorded, ...(comment === undefined || comment === '' ? {} : { comment }) }
}

function refuseLong(flag: string, { length }: string, most: number): void {
  if (length > most)
    throw new CommandError(exitCodes.usage, `${flag} has ${length} characters; at most ${most} are recorded`)
}
