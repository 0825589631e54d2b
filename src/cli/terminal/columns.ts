import stringWidth from 'string-width'

/** Rows of cells as lines, every column as wide as its widest cell. Colour goes on afterwards, cell by cell. */
export function columns(
  rows: readonly (readonly string[])[],
  paintCell: (text: string, row: number, column: number) => string = (text) => text,
): readonly string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, stringWidth(cell))
    }
  }
  return rows.map((row, rowNumber) =>
    row
      .map((cell, column) => {
        const padding = column === row.length - 1 ? 0 : (widths[column] ?? 0) - stringWidth(cell)
        return paintCell(cell, rowNumber, column) + ' '.repeat(padding)
      })
      .join('  ')
      .trimEnd(),
  )
}

/** The text with spaces after it, so that it fills this many columns of the terminal. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)))
}

/**
 * A text no wider than this: cut at its end, or left out where nearly nothing of it would be left. cli-truncate lets a
 * wide character at the end stand out by one column.
 */
export function cut(text: string, most: number): string {
  if (stringWidth(text) <= most) return text
  if (most < 4) return ''
  let shown = ''
  for (const { segment } of graphemes.segment(text)) {
    if (stringWidth(shown + segment) > most - 1) break
    shown += segment
  }
  return `${shown}…`
}

const graphemes = new Intl.Segmenter()
