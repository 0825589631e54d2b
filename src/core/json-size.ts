import type { JsonValue } from './json.ts'

/** Bytes of a value as JSON in UTF-8. */
export function jsonSize(value: JsonValue): number {
  const text = JSON.stringify(value)
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) continue
    // Half of a pair that makes four bytes of two units; JSON.stringify leaves no half alone.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return bytes
}
