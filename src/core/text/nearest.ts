import { distance } from 'fastest-levenshtein'

/** The most similar of the names, if one is similar enough to be meant; else the only one of which it is the first word. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  return mostSimilar(name, names) ?? onlyWith(`${name.toLowerCase()}_`, names)
}

function onlyWith(beginning: string, names: Iterable<string>): string | undefined {
  const [only, ...others] = [...names].filter((one) => one.toLowerCase().startsWith(beginning))
  return others.length === 0 ? only : undefined
}

function mostSimilar(name: string, names: Iterable<string>): string | undefined {
  let best: string | undefined
  let bestDistance = Number.POSITIVE_INFINITY
  const wanted = name.toLowerCase()
  for (const candidate of names) {
    const known = candidate.toLowerCase()
    const most = Math.min(bestDistance - 1, mostDistance(wanted, known))
    // Two texts differ by at least as much as their lengths do; to compare long ones takes seconds.
    if (Math.abs(known.length - wanted.length) > most) continue
    const far = distance(wanted, known)
    if (far <= most) [best, bestDistance] = [candidate, far]
  }
  return best
}

/** A third of the longer word; two characters in short words, with at least one in common. */
function mostDistance(one: string, other: string): number {
  const length = Math.max(one.length, other.length)
  return Math.max(Math.min(2, length - 1), Math.floor(length / 3))
}

/** `; did you mean "x"?` to put after a sentence, or nothing. */
export function hint(name: string, names: Iterable<string>): string {
  const near = nearest(name, names)
  return near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`
}

/** `did you mean "x"?`, or a list of the names where none is near. */
export function suggest(name: string, names: readonly string[]): string {
  const near = nearest(name, names)
  return near === undefined ? `known: ${names.join(', ')}` : `did you mean "${near}"?`
}
