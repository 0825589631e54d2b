/** Two lines of a Markdown file between which the graph of a runbook stands. */
export interface Marker {
  /** The runbook, as it is written there. */
  readonly name: string
  /** From 1. */
  readonly line: number
  /** The line of the second marker. */
  readonly end: number
}

/** The markers of a page, or the first line that is wrong. */
export interface FoundMarkers {
  readonly markers: readonly Marker[]
  readonly problem?: { readonly line: number; readonly message: string }
}

const first = /^ {0,3}<!-- *opsbook graph +(\S.*?) *-->\s*$/
const second = /^ {0,3}<!-- *\/opsbook graph *-->\s*$/
const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/

/** Finds the markers of a page. Those inside a block of code are text, not markers. */
export function findMarkers(text: string): FoundMarkers {
  const markers: Marker[] = []
  let open: { readonly name: string; readonly line: number } | undefined
  let code: string | undefined
  for (const [index, content] of text.split(/\r?\n/).entries()) {
    const line = index + 1
    const name = first.exec(content)?.[1]
    if (open) {
      // What is between the markers is replaced, whatever it is.
      if (second.test(content)) {
        markers.push({ ...open, end: line })
        open = undefined
      } else if (name !== undefined) return { markers, problem: { line: open.line, message: unclosed } }
      continue
    }
    const [, mark, info = ''] = fence.exec(content) ?? []
    if (code !== undefined) {
      if (mark?.startsWith(code) && info.trim() === '') code = undefined
    } else if (mark !== undefined) code = mark
    else if (name !== undefined) open = { name, line }
    else if (second.test(content)) {
      return { markers, problem: { line, message: 'the end of a graph that has no beginning' } }
    }
  }
  return open ? { markers, problem: { line: open.line, message: unclosed } } : { markers }
}

const unclosed = 'the graph has no end'
