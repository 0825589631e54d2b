import type { Identity } from '../core/events.ts'
import { longestComment, longestName } from '../core/people/index.ts'
import { systemIdentity } from '../engine/record/index.ts'
import { CommandError } from '../project/index.ts'

/** The flags that name who makes a request, and why. */
export interface WhoFlags {
  readonly by?: string
  readonly comment?: string
}

/** Who acts and why, as it is recorded. */
export interface Who {
  readonly by: Identity
  readonly comment?: string
}

/** Reads who makes a request and why, as it is recorded: the system user, with the name of `--by`. */
export function readWho({ by: given, comment }: WhoFlags): Who {
  const own = systemIdentity()
  const by = given ?? own.name
  if (by.trim() === '') throw new CommandError('usage', '--by is empty: is a variable not set?')
  refuseLong('--by', by, longestName)
  // `--by` can be any name, so the system user is always recorded with it.
  return whoSays(given === undefined ? own : { ...own, name: given, source: 'flag' }, comment)
}

/** Who acts and why, where it is known who that is. */
export function whoSays(by: Identity, comment = ''): Who {
  refuseLong('--comment', comment, longestComment)
  return { by, ...(comment === '' ? {} : { comment }) }
}

function refuseLong(flag: string, { length }: string, most: number): void {
  if (length > most)
    throw new CommandError('usage', `${flag} has ${length} characters; at most ${most} are recorded`)
}
