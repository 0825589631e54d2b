/** What a run is told of whose place another one takes. */
export function replacedBy(runId: string): string {
  return `replaced by ${runId}`
}

/** The run that took the place of one, where what was said of its end begins with that. */
export function successorIn(said: string | undefined): string | undefined {
  return /^replaced by (run_\S+)/.exec(said ?? '')?.[1]
}
