/**
 * The connection in the record of a run that had its own sandbox: the flags that chose it, so that a resumed run keeps
 * them. No configured connection can have either name.
 */
export const sandboxName = '--sandbox'

/** The same where steps and notifications may leave the sandbox. */
export const openSandboxName = '--sandbox --allow-outside'

/** Whether the record of a run names a sandbox. */
export function isSandboxName(connection: string | undefined): boolean {
  return connection === sandboxName || connection === openSandboxName
}
