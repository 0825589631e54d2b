import { distance } from 'fastest-levenshtein'

/** The known name that was probably meant, if one is near enough. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined
  let least = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    const steps = distance(name.toLowerCase(), candidate.toLowerCase())
    if (steps < least) {
      nearest = candidate
      least = steps
    }
  }
  return nearest
}

/** `; did you mean "…"?`, or nothing. */
export function hint(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  return nearest === undefined ? '' : `; did you mean ${JSON.stringify(nearest)}?`
}
