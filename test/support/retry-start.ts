/**
 * Starts a process, a server or a connection, and once more where that fails. What a hook starts has its second try
 * here: vitest runs a failing hook only once.
 */
export function retryStart<T>(start: () => Promise<T>): Promise<T> {
  return start().catch(() => start())
}
