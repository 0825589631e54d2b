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
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of names) {
    const far = distance(name.toLowerCase(), candidate.toLowerCase())
    if (far < bestDistance) [best, bestDistance] = [candidate, far]
  }
  return best
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
