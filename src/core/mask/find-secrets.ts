import { decodeRuns } from './decode-runs.ts'
import type { Layer, Span } from './layer.ts'
import { peelEscapes } from './peel-escapes.ts'
import { type SecretIndex, shortestAnywhere, withBlanks } from './secret-index.ts'

/** How often runs of letters and digits are decoded: base64 can hold base64 that holds base64. */
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
  const search = (text: string, { sourceOf }: Layer): void =>
    index.find(text, { isError, found: (start, end) => spans.push(sourceOf(start, end)) })
  let layers: readonly Layer[] = [{ text, sourceOf: (start, end) => ({ start, end }) }]
  for (let decoded = 0; layers.length > 0; decoded++) {
    const next: (Layer | undefined)[] = []
    for (const layer of layers) {
      const peeled = peelEscapes(layer)
      const plain = peeled ?? layer
      search(layer.text, layer)
      if (peeled || layer.text.includes('+')) search(withBlanks(plain.text), plain)
      // Where an escape has another one in it, the outer one may be none: a sign, and then a secret.
      const asWritten = peeled?.hadNested ? peelEscapes(layer, { isNested: false }) : undefined
      if (asWritten) search(withBlanks(asWritten.text), asWritten)
      const inLines =
        peeled && shortest < shortestAnywhere ? peelEscapes(layer, { keepsBreaks: true }) : undefined
      if (inLines) search(inLines.text, inLines)
      if (decoded === mostDecoded) continue
      next.push(decodeRuns(plain, shortest))
      // The same for what is encoded.
      if (decoded === 0 && /[%&\\]/.test(layer.text)) next.push(decodeRuns(layer, shortest))
    }
    layers = next.filter((layer) => layer !== undefined)
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
