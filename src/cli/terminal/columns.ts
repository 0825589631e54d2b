/** Rows of cells as lines, every column as wide as its widest cell. Colour goes on afterwards, cell by cell. */
export function columns(
  rows: readonly (readonly string[])[],
  paintCell: (text: string, row: number, column: number) => string = (text) => text,
): readonly string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, [...cell].length)
    }
  }
  return rows.map((row, rowNumber) =>
    row
      .map((cell, column) => {
        const padding = column === row.length - 1 ? 0 : (widths[column] ?? 0) - [...cell].length
        return paintCell(cell, rowNumber, column) + ' '.repeat(padding)
      })
      .join('  ')
      .trimEnd(),
  )
}
