import { CommandError } from '../command-error.ts'
import type { RunOptions } from '../commands/run.ts'
import { exitCodes } from '../exit-codes.ts'

/** Refuses flags that would mean something else than was asked: announced ones that are not there yet, empty ones. */
export function refuseFlags({ engine, id }: RunOptions): void {
  if (engine === 'temporal')
    throw notYet('--engine temporal', 'runs go on the embedded engine; leave the flag out')
  if (engine !== undefined && engine !== 'embedded') {
    throw new CommandError(exitCodes.usage, `there is no engine "${engine}"`, { hints: ['known: embedded'] })
  }
  if (id === '') throw new CommandError(exitCodes.usage, '--id is empty; an unset variable, perhaps')
}

/** The error for a flag that is announced for a later version. */
function notYet(flag: string, instead: string): CommandError {
  return new CommandError(exitCodes.usage, `${flag} is not there yet in this version`, { hints: [instead] })
}
