import { CommandError } from '../command-error.ts'
import type { RunOptions } from '../commands/run.ts'
import { exitCodes } from '../exit-codes.ts'

/** Refuses flags that are announced and not there yet: ignoring them would mean something else than was asked. */
export function refuseFlags({ engine, id, yes }: RunOptions): void {
  if (engine === 'temporal')
    throw notYet('--engine temporal', 'runs go on the embedded engine; leave the flag out')
  if (engine !== undefined && engine !== 'embedded') {
    throw new CommandError(exitCodes.usage, `there is no engine "${engine}"`, { hints: ['known: embedded'] })
  }
  if (id !== undefined) throw notYet('--id', 'every start is a new run; leave the flag out')
  if (yes) throw notYet('--yes', 'runbooks cannot ask for approval yet; leave the flag out')
}

function notYet(flag: string, instead: string): CommandError {
  return new CommandError(exitCodes.usage, `${flag} is not there yet in this version`, { hints: [instead] })
}
