import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'

export { cut } from '../../../view/text/index.ts'

/** Formats rows of cells as lines, each column as wide as its widest cell. Cells are colored afterwards. */
export function columns(
  rows: readonly (readonly string[])[],
  paintCell: (text: string, row: number, column: number) => string = (text) => text,
): readonly string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, stringWidth(cell))
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

/** Pads a text with spaces to this many columns of the terminal. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)))
}

/** A text as lines no wider than this many columns of the terminal, broken at spaces where it has any. */
export function wrap(text: string, width: number): readonly string[] {
  return wrapAnsi(text, width, { hard: true }).split('\n')
}
