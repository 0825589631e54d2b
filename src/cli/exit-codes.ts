/** What the command's exit code says. Scripts build on it: a number never changes its meaning. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 130

/** The way a command ended, by name. */
export type CommandEnd =
  | 'succeeded'
  | 'failed'
  /** Wrong usage, an invalid runbook or invalid inputs: nothing was sent. */
  | 'usage'
  | 'cancelled'
  /** The outcome is unknown: a person decides. */
  | 'undecided'
  /** This machine or its network lacks something: a server, a key, a writable folder. */
  | 'environment'
  | 'interrupted'

export const exitCodes: Readonly<Record<CommandEnd, ExitCode>> = {
  succeeded: 0,
  failed: 1,
  usage: 2,
  cancelled: 3,
  undecided: 4,
  environment: 5,
  interrupted: 130,
}
