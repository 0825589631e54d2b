import { decodeEscapes, hasEscapes } from './decode-escapes.ts'
import { decodeRuns, hasRuns } from './decode-runs.ts'
import type { SecretIndex, Span } from './secret-index.ts'

/** How a text is searched. */
export interface SearchOptions {
  /** More is hidden in errors: also what a secret begins with. */
  readonly isError: boolean
  /** How often the text is decoded. */
  readonly depth: number
}

/** The most steps of a search. Ordinary texts need less than a third of them. */
const stepsPerCharacter = 32
const stepsBesides = 100_000
/** Nothing shorter counts in errors. */
const shortestPrefix = 12

const none: readonly Span[] = []

/**
 * The parts of the text that are secrets, plain or encoded, in order and without overlap. Throws where the search takes
 * more than a fixed number of steps for each character.
 */
export function findSecrets(
  text: string,
  index: SecretIndex,
  { isError, depth }: SearchOptions,
): readonly Span[] {
  const { facts } = index
  const shortest = isError ? Math.min(facts.shortest, shortestPrefix) : facts.shortest
  if (text.length < shortest) return none
  // Most texts are done with this: nothing in them is encoded, and nothing begins as a secret does.
  if (!index.mayHold(text, isError) && !hasEscapes(text, facts) && !hasRuns(text, shortest)) return none
  const spans: Span[] = []
  let steps = text.length * stepsPerCharacter + stepsBesides
  const spend = (count: number): void => {
    steps -= count
    if (steps < 0) throw new Error('the text takes too long to be searched')
  }
  const search = (part: string, sourceOf: (start: number, end: number) => Span, left: number): void => {
    if (part.length < shortest) return
    spend(part.length)
    index.find(part, { isError, spend, found: (start, end) => spans.push(sourceOf(start, end)) })
    if (left === 0) return
    const inner = (decoded: { text: string; sourceOf(start: number, end: number): Span }): void =>
      search(
        decoded.text,
        (start, end) => {
          const span = decoded.sourceOf(start, end)
          return sourceOf(span.start, span.end)
        },
        left - 1,
      )
    for (const decoded of decodeEscapes(part, facts)) inner(decoded)
    for (const decoded of decodeRuns(part, shortest)) inner(decoded)
  }
  search(text, (start, end) => ({ start, end }), depth)
  return spans.length === 0 ? none : mergeSpans(spans)
}

/** The same parts in order and without overlap. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const whole: { start: number; end: number }[] = []
  for (const { start, end } of spans.toSorted((one, other) => one.start - other.start)) {
    const last = whole.at(-1)
    if (last && start < last.end) last.end = Math.max(last.end, end)
    else whole.push({ start, end })
  }
  return whole
}
