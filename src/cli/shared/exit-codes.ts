/**
 * The exit codes of commands, by how a command ended. Scripts depend on them: a number never changes its meaning.
 * `unresolved`: the outcome is unknown, and a person resolves it.
 */
export const exitCodes = {
  succeeded: 0,
  failed: 1,
  usage: 2,
  cancelled: 3,
  unresolved: 4,
  environment: 5,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
