/** What the command's exit code says. Scripts build on it: a number never changes its meaning. */
export const exitCodes = {
  succeeded: 0,
  failed: 1,
  /** Wrong usage, an invalid runbook or invalid inputs: nothing was sent. */
  usage: 2,
  cancelled: 3,
  /** The outcome is unknown: a person decides. */
  undecided: 4,
  /** This machine or its network lacks something: a server, a key, a writable folder. */
  environment: 5,
  interrupted: 130,
} as const satisfies Readonly<Record<string, number>>

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
