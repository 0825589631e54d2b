import { decodeRuns } from './decode-runs.ts'
import { findForms } from './find-forms.ts'
import { type Layer, layerOf, type Span } from './layer.ts'
import { peelEscapes } from './peel-escapes.ts'
import { type SecretIndex, shortestPrefix } from './secret-index.ts'

/** How often runs of letters and digits are decoded: base64 can hold base64 that holds base64. */
const mostDecoded = 3

/**
 * The parts of the text that are secrets, plain or encoded, in order and without overlap; in an error also what a
 * secret begins with. The time is that of the text's length, whatever it holds and however many secrets there are.
 */
export function findSecrets(text: string, index: SecretIndex, isError: boolean): readonly Span[] {
  const shortest = isError ? Math.min(index.shortest, shortestPrefix) : index.shortest
  const spans: Span[] = []
  const search = (layer: Layer): void =>
    findForms(index, layer, isError, (start, end) => spans.push(layer.sourceOf(start, end)))
  let layer = text.length < shortest ? undefined : layerOf(text)
  for (let decoded = 0; layer; decoded++) {
    search(layer)
    const peeled = peelEscapes(layer)
    if (peeled) search(peeled)
    layer = decoded < mostDecoded ? decodeRuns(layer, peeled, shortest) : undefined
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
