import { cut } from '../../text/index.ts'
import { factTexts, headText, isPart, kindText, lineText, runText } from '../box-words.ts'
import type { Box, Graph } from '../graph.ts'
import { statusColors } from '../status-colors.ts'

/** What Mermaid draws by default. Viewers such as GitHub refuse more. */
export const mermaidLimits = { characters: 50_000, edges: 500 } as const

/** Columns of a line in a box; what became of it has several facts. */
const most = { line: 60, state: 120 } as const

/** Writes a graph as a Mermaid flowchart. */
export function writeMermaid({ box }: Graph): string {
  const writing: Writing = { lines: [], edges: [], classes: new Map(), next: 0 }
  const isFramed = box.handlers.length > 0
  if (isFramed) writeBox(box, writing, '  ')
  else writeParts(box, writing, '  ')
  return [
    'flowchart TB',
    ...writing.lines,
    ...writing.edges.map((edge) => `  ${edge}`),
    ...[...writing.classes].flatMap(([name, ids]) => [
      `  classDef ${name} ${styles[name] ?? ''}`,
      `  class ${ids.join(',')} ${name}`,
    ]),
    '',
  ].join('\n')
}

interface Writing {
  readonly lines: string[]
  readonly edges: string[]
  readonly classes: Map<string, string[]>
  next: number
}

/** Where the arrows into and out of a box end. */
interface Ends {
  readonly first: string
  readonly last: string
}

/** Writes a box and its handlers, which stand beside it. */
function writeBox(box: Box, writing: Writing, indent: string): Ends {
  const id = `n${writing.next++}`
  if (box.parts.length === 0) writing.lines.push(`${indent}${id}${shape(box, label(box))}`)
  else {
    writing.lines.push(`${indent}subgraph ${id}["${title(box)}"]`)
    writing.lines.push(`${indent}  direction TB`)
    writeParts(box, writing, `${indent}  `, writeNote(box, writing, `${indent}  `))
    writing.lines.push(`${indent}end`)
  }
  addClass(writing, classOf(box), id)
  let last = id
  for (const handler of box.handlers) {
    const { first } = writeBox(handler, writing, indent)
    writing.edges.push(handler.kind === 'catch' ? `${id} -. failed .-> ${first}` : `${last} --> ${first}`)
    if (handler.kind === 'finally') last = first
  }
  return { first: id, last }
}

function addClass({ classes }: Writing, name: string | undefined, id: string): void {
  if (name !== undefined) classes.set(name, [...(classes.get(name) ?? []), id])
}

/** Facts of a box with steps inside. They are a node of their own: a title of several lines covers what is below it. */
function writeNote(box: Box, writing: Writing, indent: string): string | undefined {
  const text = [linesOf(factTexts(box)), stateOf(box)].filter((one) => one !== '').join('<br/>')
  if (text === '') return undefined
  const id = `n${writing.next++}`
  writing.lines.push(`${indent}${id}["${text}"]`)
  addClass(writing, 'note', id)
  return id
}

function writeParts({ parts, order }: Box, writing: Writing, indent: string, note?: string): void {
  let before: string | undefined
  for (const part of parts) {
    const { first, last } = writeBox(part, writing, indent)
    if (order === 'sequence' && before !== undefined) writing.edges.push(`${before} --> ${first}`)
    else if (note !== undefined) writing.edges.push(`${note} ~~~ ${first}`)
    before = last
  }
}

/** A box without steps inside: a person is asked in a hexagon, and what waits has round ends. */
function shape({ action }: Box, text: string): string {
  if (action === 'core/approve') return `{{"${text}"}}`
  return action === 'core/wait' || action === 'core/listen' ? `(["${text}"])` : `["${text}"]`
}

/** The lines of a box without steps inside. */
function label(box: Box): string {
  const lines = linesOf([headText(box), box.name ?? '', kindText(box), ...factTexts(box)])
  return [lines, stateOf(box)].filter((one) => one !== '').join('<br/>')
}

/** The title of a box with steps inside. */
function title(box: Box): string {
  return linesOf([[headText(box), box.name ?? kindText(box)].filter((text) => text !== '').join(': ')])
}

function linesOf(texts: readonly string[]): string {
  return texts
    .map((text) => escapeLabel(text, most.line))
    .filter((text) => text !== '')
    .join('<br/>')
}

function stateOf(box: Box): string {
  return box.run && !isPart(box) ? escapeLabel(runText(box.run), most.state) : ''
}

/** Colors that are readable in light and dark themes: the fill stays that of the theme. */
const styles: Readonly<Record<string, string>> = {
  writes: 'stroke:#d97706,stroke-width:2px',
  good: 'stroke:#16a34a,stroke-width:2px',
  bad: 'stroke:#dc2626,stroke-width:3px',
  open: 'stroke:#2563eb,stroke-width:3px',
  held: 'stroke:#d97706,stroke-width:3px',
  idle: 'stroke-dasharray:4 4,opacity:0.6',
  handler: 'stroke-dasharray:6 3',
  note: 'fill:none,stroke:none',
}

function classOf({ kind, safety, run }: Box): string | undefined {
  if (run) return statusColors[run.status]
  if (kind === 'catch' || kind === 'finally') return 'handler'
  return safety === 'idempotent' || safety === 'create' ? 'writes' : undefined
}

/**
 * A text as part of a quoted label: no character of it can end the label, or be read as HTML, Markdown, a formula, a
 * comment or an entity. Everything else is written as it is, so that the source stays readable.
 */
function escapeLabel(text: string, most: number): string {
  return (
    cut(lineText(text), most)
      .replaceAll(special, (character) => `#${character.codePointAt(0)};`)
      // Markdown joins a word over these; at its edges they are marks.
      .replaceAll(/(?<![\p{L}\p{N}])[_-]|_(?![\p{L}\p{N}])/gu, (character) => `#${character.charCodeAt(0)};`)
      // Mermaid finds these after it has read the entities: a space without width parts them.
      .replaceAll('#92;n', '#92;\u200bn')
      .replaceAll(/#36;(?=#36;)/g, '#36;\u200b')
      // A number with a dot begins a list, a colon with slashes an address, and so does www.
      .replace(/^(\d+)\./, '$1#46;')
      .replaceAll('://', '#58;//')
      .replaceAll(/www\./gi, (found) => `${found.slice(0, 3)}#46;`)
  )
}

/** Of the signs of ASCII all but `! ' ( ) , - . / : = ? _ |`. */
const special = /["-&*+;<>@[-^`{}~]/g
