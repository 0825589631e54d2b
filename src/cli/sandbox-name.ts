/**
 * What the record of a run has as its connection where the run had a sandbox of its own: the flags that chose it, so that
 * a resumed run keeps them. No connection has either name.
 */
export const sandboxName = '--sandbox'

/** The same where steps and messages may leave the sandbox. */
export const openSandboxName = '--sandbox --allow-outside'

/** Whether the record of a run names a sandbox. */
export function isSandboxName(connection: string | undefined): boolean {
  return connection === sandboxName || connection === openSandboxName
}
