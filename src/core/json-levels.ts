const quote = 0x22
const backslash = 0x5c
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b])
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d])

/** The deepest JSON that is read: recursive code overflows on deeper values. */
export const mostLevels: number = 100

/** Whether a JSON text nests deeper than `mostLevels`. Text that is not JSON may get either answer. */
export function isDeeper(text: Uint8Array, levels: number = mostLevels): boolean {
  let depth = 0
  let isInText = false
  for (let index = 0; index < text.length; index++) {
    const byte = text[index] ?? 0
    if (byte === quote) isInText = !isInText
    else if (isInText) {
      // What is escaped ends no text.
      if (byte === backslash) index++
    } else if (opening.has(byte)) {
      depth++
      if (depth > levels) return true
    } else if (closing.has(byte)) depth--
  }
  return false
}
