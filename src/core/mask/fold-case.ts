/** The text without differences of case, each character at its place: what is found in it stands at the same place in the text. */
export function foldCase(text: string): string {
  const folded = text.toLowerCase()
  // Nearly every text is done with this. One letter becomes two, and one depends on what stands around it.
  if (folded.length === text.length && !folded.includes('ς')) return folded
  return text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ')
}

/** The UTF-8 bytes of a text, each as one character: how a text looks that was decoded byte by byte. */
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
