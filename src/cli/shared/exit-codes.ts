/** The exit codes of commands. Scripts depend on them: a number never changes its meaning. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 130

/** How a command ended. */
export type CommandEnd =
  | 'succeeded'
  | 'failed'
  /** Wrong usage, an invalid runbook or invalid inputs: nothing was sent. */
  | 'usage'
  | 'cancelled'
  /** The outcome is unknown: a person resolves it. */
  | 'unresolved'
  /** Something is missing on this machine or its network: a server, a key, a writable folder. */
  | 'environment'
  | 'interrupted'

export const exitCodes: Readonly<Record<CommandEnd, ExitCode>> = {
  succeeded: 0,
  failed: 1,
  usage: 2,
  cancelled: 3,
  unresolved: 4,
  environment: 5,
  interrupted: 130,
}
