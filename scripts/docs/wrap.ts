/** Breaks a paragraph of Markdown into lines of at most 118 characters. Links and code spans stay whole. */
export function wrap(text: string, first = '', next: string = first): string {
  const lines: string[] = []
  let line = first
  for (const [word] of text.matchAll(/(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+/g)) {
    const start = lines.length === 0 ? first : next
    if (line !== start && line.length + 1 + word.length > 118) {
      lines.push(line)
      line = next
    }
    line += line === (lines.length === 0 ? first : next) ? word : ` ${word}`
  }
  return [...lines, line].join('\n')
}

/** A list of Markdown. */
export function list(items: readonly string[]): string {
  return items.map((item) => wrap(item, '- ', '  ')).join('\n')
}
