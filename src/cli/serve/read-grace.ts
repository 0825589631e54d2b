import { parseDuration } from '../../core/duration.ts'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'

/** How long a stop waits, in milliseconds. */
export function readGrace(given: string): number {
  const ms = parseDuration(given)
  if (ms !== undefined) return ms
  throw new CommandError(
    exitCodes.usage,
    `--grace takes a duration such as 500ms, 30s or 2m, not ${JSON.stringify(given)}`,
  )
}
