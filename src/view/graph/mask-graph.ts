import type { Masking } from '../../core/mask/index.ts'
import type { Box, Graph } from './graph.ts'

/** The same graph with secrets hidden in every text. Before a writer cuts a text: no mask finds half a secret. */
export function maskGraph(graph: Graph, mask: Pick<Masking, 'text'>): Graph {
  return { ...graph, box: maskBox(graph.box, mask) }
}

function maskBox(box: Box, mask: Pick<Masking, 'text'>): Box {
  const { run } = box
  return {
    ...box,
    path: mask.text(box.path),
    label: mask.text(box.label),
    ...(box.name === undefined ? {} : { name: mask.text(box.name) }),
    ...(box.action === undefined ? {} : { action: mask.text(box.action) }),
    facts: box.facts.map(({ label, text }) => ({ label, text: mask.text(text) })),
    parts: box.parts.map((part) => maskBox(part, mask)),
    handlers: box.handlers.map((handler) => maskBox(handler, mask)),
    ...(run?.error
      ? { run: { ...run, error: { ...run.error, message: mask.text(run.error.message) } } }
      : {}),
  }
}
