import { inOneLine } from '../../../core/mask/index.ts'

// Control characters, and the marks that turn the direction of text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/**
 * Text from outside that cannot move the cursor, recolour or retitle the terminal: control characters other than
 * line break and tab are shown as `\x1b`.
 */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(unsafe, (character) => {
    const code = character.charCodeAt(0).toString(16)
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`
  })
}

/** The same on one line: line breaks and tabs become spaces. */
export function printableLine(text: string): string {
  return printable(inOneLine(text))
}

/** The same with one column for each character, so that what is printed under it stays in line. */
export function printableInColumns(text: string): string {
  return text.replaceAll('\t', ' ').replace(unsafe, '\ufffd')
}
