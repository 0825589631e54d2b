import { decodeRuns } from './decode-runs.ts'
import type { Layer, Span } from './layer.ts'
import { peelEscapes } from './peel-escapes.ts'
import { type SecretIndex, withBlanks } from './secret-index.ts'

/** How often runs of letters and digits are decoded: base64 can stand in base64 in base64. */
const mostDecoded = 3
/** Nothing shorter counts in errors. */
const shortestPrefix = 12

/**
 * The parts of the text that are secrets, plain or encoded, in order and without overlap; in an error also what a
 * secret begins with. The time is that of the text's length, whatever it holds and however many secrets there are.
 */
export function findSecrets(text: string, index: SecretIndex, isError: boolean): readonly Span[] {
  const shortest = isError ? Math.min(index.shortest(), shortestPrefix) : index.shortest()
  const spans: Span[] = []
  if (text.length < shortest) return spans
  let layer: Layer | undefined = { text, sourceOf: (start, end) => ({ start, end }) }
  for (let decoded = 0; layer !== undefined; decoded++) {
    const peeled = peelEscapes(layer)
    const plain: Layer = peeled ?? layer
    const search = (searched: string, { sourceOf }: Layer): void =>
      index.find(searched, { isError, found: (start, end) => spans.push(sourceOf(start, end)) })
    search(layer.text, layer)
    if (peeled || layer.text.includes('+')) search(withBlanks(plain.text), plain)
    layer = decoded < mostDecoded ? decodeRuns(plain, shortest) : undefined
  }
  return mergeSpans(spans)
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
