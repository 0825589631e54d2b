import { inOneLine, showInvisible } from '../../core/text/index.ts'

/**
 * Text from outside that cannot move the cursor, recolour or retitle the terminal, or look like another text: what is
 * invisible is shown as `\x1b`, except for line breaks and tabs.
 */
export function printable(text: string): string {
  return showInvisible(text.replaceAll('\r\n', '\n'))
}

/** The same on one line: line breaks and tabs become spaces. */
export function printableLine(text: string): string {
  return printable(inOneLine(text))
}

/** The same with one column for each character, so that what is printed under it stays in line. */
export function printableInColumns(text: string): string {
  return showInvisible(text.replaceAll('\t', ' '), ({ length }) => '\ufffd'.repeat(length))
}
