/** The text without differences of case. Each character keeps its position. */
export function foldCase(text: string): string {
  const folded = text.toLowerCase()
  // This is enough for nearly every text. One letter becomes two, and one depends on its neighbours.
  if (folded.length === text.length && !folded.includes('ς')) return folded
  return text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ')
}

/** The UTF-8 bytes of a text, each as one character, as decoders of bytes return them. */
export function byteText(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text
  // Half a character makes encodeURIComponent throw; as bytes it is what stands for an unknown one.
  const whole = text.replace(
    /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    '\ufffd',
  )
  return encodeURIComponent(whole).replace(/%(..)/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
