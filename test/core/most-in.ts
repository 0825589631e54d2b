/** The most instants in any stretch of this length, both of its ends counted. */
export function mostIn(instants: readonly number[], lengthMs: number): number {
  const sorted = instants.toSorted((a, b) => a - b)
  let most = 0
  let start = 0
  for (const [end, instant] of sorted.entries()) {
    while ((sorted[start] as number) < instant - lengthMs) start++
    most = Math.max(most, end - start + 1)
  }
  return most
}
