import type { CommandError } from '../../project/index.ts'

/** The exit codes of commands. Scripts depend on them: a number never changes its meaning. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 130

/** How a command ended. `unresolved`: the outcome is unknown, and a person resolves it. */
export type CommandEnd = CommandError['kind'] | 'succeeded' | 'cancelled' | 'unresolved'

export const exitCodes: Readonly<Record<CommandEnd, ExitCode>> = {
  succeeded: 0,
  failed: 1,
  usage: 2,
  cancelled: 3,
  unresolved: 4,
  environment: 5,
  interrupted: 130,
}
