import type { Identity } from '../../core/events.ts'
import { systemIdentity } from '../../engine/record/index.ts'
import { CommandError } from '../../project/index.ts'

/** The flags that name who makes a request, and why. */
export interface WhoFlags {
  readonly by?: string
  readonly comment?: string
}

const longestName = 200
const longestComment = 4000

/** Reads who makes a request and why, as it is recorded: the system user, with the name of `--by`. */
export function readWho({ by: given, comment }: WhoFlags): {
  readonly by: Identity
  readonly comment?: string
} {
  const own = systemIdentity()
  const by = given ?? own.name
  if (by.trim() === '') throw new CommandError('usage', '--by is empty: is a variable not set?')
  refuseLong('--by', by, longestName)
  refuseLong('--comment', comment ?? '', longestComment)
  // `--by` can be any name, so the system user is always recorded with it.
  const recorded: Identity = given === undefined ? own : { ...own, name: given, source: 'flag' }
  return { by: recorded, ...(comment === undefined || comment === '' ? {} : { comment }) }
}

function refuseLong(flag: string, { length }: string, most: number): void {
  if (length > most)
    throw new CommandError('usage', `${flag} has ${length} characters; at most ${most} are recorded`)
}
