/** The page of a step, an item or a call of a run. */
export function stepHref(runId: string, path: string): string {
  return `/runs/${encodeURIComponent(runId)}?tab=step&step=${encodeURIComponent(path)}`
}
