import { type Machine, scan } from './machine.ts'

/** Where a text first holds a part, in UTF-16 units; -1 where it does not. */
export function indexIn(machine: Machine, text: string, part: string): number {
  return createFinder(machine, text, part)(text, 0)
}

/** Where a text last holds a part. */
export function lastIndexIn(machine: Machine, text: string, part: string): number {
  scan(machine, 2 * (text.length + part.length))
  return isSafe(text, part) ? text.lastIndexOf(part) : search(text, part, bordersOf(part), 0, 'last')
}

/** Finds a part in a text from a position on; -1 where there is none. */
export type Finder = (text: string, from: number) => number

/** Below this the engine's own search cannot be slow, whatever the two texts are. */
const safeProduct = 100_000
const safePart = 8

/**
 * A search that takes linear time. The engine's own is faster on most texts, and takes a minute on a hostile one of
 * a megabyte.
 */
export function createFinder(machine: Machine, text: string, part: string): Finder {
  scan(machine, 2 * (text.length + part.length))
  if (isSafe(text, part)) return (subject, from) => subject.indexOf(part, from)
  const borders = bordersOf(part)
  return (subject, from) => search(subject, part, borders, from, 'first')
}

function isSafe(text: string, part: string): boolean {
  return part.length <= safePart || part.length * text.length <= safeProduct
}

function search(
  text: string,
  part: string,
  borders: Int32Array,
  from: number,
  which: 'first' | 'last',
): number {
  let found = -1
  let matched = 0
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1] as number
    if (part.charCodeAt(matched) === unit) matched++
    if (matched < part.length) continue
    found = at - matched + 1
    if (which === 'first') return found
    matched = borders[matched - 1] as number
  }
  return found
}

/** For each beginning of the part: the length of its longest own beginning that is also its end (Knuth, Morris, Pratt). */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length)
  let length = 0
  for (let at = 1; at < part.length; at++) {
    while (length > 0 && part.charCodeAt(length) !== part.charCodeAt(at))
      length = borders[length - 1] as number
    if (part.charCodeAt(length) === part.charCodeAt(at)) length++
    borders[at] = length
  }
  return borders
}
