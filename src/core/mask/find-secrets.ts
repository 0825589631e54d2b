import { decodeRuns } from './decode-runs.ts'
import { type Layer, layerOf, type Span } from './layer.ts'
import { peelEscapes } from './peel-escapes.ts'
import type { SecretIndex } from './secret-index.ts'

/** How often runs of letters and digits are decoded: base64 can hold base64 that holds base64. */
const mostDecoded = 3

/**
 * The parts of the text that are secrets, plain or encoded, in order and without overlap; in an error also what a
 * secret begins with. The time is that of the text's length, whatever it holds and however many secrets there are.
 */
export function findSecrets(text: string, index: SecretIndex, isError: boolean): readonly Span[] {
  const shortest = index.shortest(isError)
  const spans: Span[] = []
  if (text.length < shortest) return spans
  const search = (layer: Layer): void =>
    index.find(layer, isError, (start, end) => spans.push(layer.sourceOf(start, end)))
  let layers: readonly Layer[] = [layerOf(text)]
  for (let decoded = 0; layers.length > 0; decoded++) {
    const next: (Layer | undefined)[] = []
    for (const layer of layers) {
      search(layer)
      const peeled = peelEscapes(layer)
      if (peeled) search(peeled)
      if (decoded === mostDecoded) continue
      next.push(decodeRuns(peeled ?? layer, shortest))
      // A sign before encoded text makes its first characters an escape.
      if (peeled) next.push(decodeRuns(layer, shortest, { isBehindSign: true }))
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
