/** A secret as others may write it, by the name of the encoding. What each holds is the secret and nothing else. */
export function encodedForms(secret: string): Readonly<Record<string, string>> {
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  const url = encodeURIComponent(secret)
  const form = new URLSearchParams([['', secret]]).toString().slice(1)
  const everyCharacter = (write: (code: number) => string): string =>
    [...secret].map((character) => write(character.codePointAt(0) ?? 0)).join('')
  return {
    plain: secret,
    'upper case': secret.toUpperCase(),
    json: JSON.stringify(secret).slice(1, -1),
    url,
    'url in lower case': url.replace(/%../g, (code) => code.toLowerCase()),
    'every byte in a url': hex.replace(/../g, '%$&'),
    'double url': encodeURIComponent(url),
    form,
    'form in a url': encodeURIComponent(form),
    html: secret
      .replaceAll('&', '&amp;')
      .replaceAll('"', '&quot;')
      .replaceAll('<', '&lt;')
      .replaceAll("'", '&#39;'),
    'html in decimals': everyCharacter((code) => `&#${code};`),
    'html in hex': everyCharacter((code) => `&#x${code.toString(16)};`),
    unicode: secret.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
    hex,
    'hex in capitals': hex.toUpperCase(),
    'hex with colons': hex.replace(/..(?=.)/g, '$&:'),
    'base64 in lines': bytes.toString('base64').replace(/.{16}/g, '$&\n'),
    ...Object.fromEntries([0, 1, 2].flatMap((offset) => base64Forms(bytes, offset))),
    ...Object.fromEntries([0, 1, 2, 3, 4].map((offset) => [`base32 at ${offset}`, inBase32(bytes, offset)])),
    ...Object.fromEntries(
      [0, 1, 2].map((offset) => {
        const inner = Buffer.from(`${'k:'.slice(0, offset)}${secret}`).toString('base64')
        return [`double base64 at ${offset}`, Buffer.from(inner).toString('base64')]
      }),
    ),
  }
}

/** The forms that a text holds; of base64 and base32 the part that the secret alone decides. */
export function formsIn(text: string, secret: string): readonly string[] {
  const folded = text.toLowerCase()
  return Object.entries(encodedForms(secret))
    .filter(([name, form]) => {
      const isPacked = /^(base|double base).* at/.test(name)
      return folded.includes((isPacked ? form.slice(8, -8) : form).toLowerCase())
    })
    .map(([name]) => name)
}

function base64Forms(secret: Buffer, offset: number): readonly (readonly [string, string])[] {
  const whole = Buffer.concat([Buffer.from('k:').subarray(0, offset), secret])
  return (['base64', 'base64url'] as const).map((encoding) => [
    `${encoding} at ${offset}`,
    whole.toString(encoding),
  ])
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function inBase32(secret: Buffer, offset: number): string {
  const bits = [...Buffer.alloc(offset, 'k'), ...secret]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => digits[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}
