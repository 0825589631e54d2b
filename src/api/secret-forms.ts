/**
 * Every text by which others may repeat a secret: as it is, URL-encoded, inside JSON, in base64 of both alphabets,
 * alone or in the middle of something longer. The longest first. To be looked for whatever the case of the letters.
 */
export function secretForms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  const percented = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  const encoded = [0, 1, 2].flatMap((offset) => base64Forms(bytes, offset))
  const forms = [...writtenForms(secret), percented, ...encoded]
  return [...new Set(forms)].sort((a, b) => b.length - a.length)
}

/** Those of them that look like the secret itself, and a short one like any word. */
export function writtenForms(secret: string): readonly string[] {
  // Half a character makes encodeURIComponent throw; as bytes it is whole.
  const inUrl = encodeURIComponent(Buffer.from(secret).toString())
  return [secret, inUrl, JSON.stringify(secret).slice(1, -1)]
}

/** A pattern for exactly this text, without the slashes. */
export function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/**
 * The part of a base64 text that the secret alone decides, when it starts this many bytes after a multiple of
 * three, and where nothing stands before it also the whole. Such a text can hold the secret in the middle of
 * something longer.
 */
function base64Forms(secret: Buffer, offset: number): readonly string[] {
  const whole = Buffer.concat([Buffer.alloc(offset), secret])
  const start = Math.ceil((offset * 8) / 6)
  const end = Math.floor((whole.length * 8) / 6)
  const forms = (['base64', 'base64url'] as const).flatMap((encoding) => {
    const text = whole.toString(encoding)
    return offset === 0 ? [text, text.slice(start, end)] : [text.slice(start, end)]
  })
  // Shorter ones would also be found in harmless words.
  return forms.filter((form) => form.length >= 6)
}
