/** Format characters, fillers, stand-ins for objects, variation selectors, control characters, line separators, halves of characters. */
const kinds =
  '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800\\ufffc\\u{16fe4}\\u{1d159}'

/** What shows nothing, or reverses the text around it: with it, two names that differ look the same. */
export const invisible: RegExp = new RegExp(`[${kinds}]`, 'u')

/** All of it but line breaks and tabs, and what joins and colours emoji. */
const hidden = new RegExp(
  `(?![\\n\\t]|(?<=\\p{Extended_Pictographic}\\p{Emoji_Modifier}?)\\ufe0f|(?<=\\p{Extended_Pictographic}\\p{Emoji_Modifier}?\\ufe0f?)\\u200d(?=\\p{Extended_Pictographic}))[${kinds}]`,
  'gu',
)

/** A text from outside in which nothing is invisible: the number of each such character replaces it. */
export function showInvisible(text: string, show: (character: string) => string = numberOf): string {
  return text.replace(hidden, show)
}

/** `\x1b`, `\u202e`, `\u{e0041}`. */
function numberOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16)
  if (code.length <= 2) return `\\x${code.padStart(2, '0')}`
  return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\u{${code}}`
}

/** A JSON text with the same meaning in which nothing is invisible. */
export function showInvisibleInJson(json: string): string {
  return showInvisible(json, (character) =>
    character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}
