/** The text on one line: line breaks and tabs, with the blanks around them, become one blank. */
export function inOneLine(text: string): string {
  // In pieces: a pattern for all of it takes a time that grows with the square of the blanks.
  const pieces = text.split(/[\r\n\t]+/)
  const last = pieces.length - 1
  if (last === 0) return text
  return pieces
    .map((piece, at) => (at === 0 ? piece.trimEnd() : at === last ? piece.trimStart() : piece.trim()))
    .filter((piece, at) => at === 0 || at === last || piece !== '')
    .join(' ')
}
