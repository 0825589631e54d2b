/** The word of the status of a step or item. */
export function statusWord(status: string): string {
  return status === 'pending' ? 'not started' : status
}
