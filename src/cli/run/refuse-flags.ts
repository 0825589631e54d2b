import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'

/** Refuses flags that would mean something else than was asked: empty ones. */
export function refuseFlags({ id }: { readonly id?: string }): void {
  if (id === '') throw new CommandError(exitCodes.usage, '--id is empty; an unset variable, perhaps')
}
