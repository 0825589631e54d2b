import { describe, expect, it, test } from 'vitest'
import { createMask } from '../../../src/core/mask/mask.ts'
import { encodedForms, formsIn } from '../../security/support/encoded-forms.ts'

const secrets = [
  'ENVCANARY-4b1c9e0d-Qw+',
  'p@ss "w"/rd & <more>\'s',
  'geheim äöü 🔑 word',
  'two\nlines of\\text',
  `${'x'.repeat(70)}!`,
]

describe.each(secrets)('of %j', (secret) => {
  it.each(Object.entries(encodedForms(secret)))('%s is hidden, alone and inside of other text', (_, form) => {
    const mask = createMask([secret], '***')
    for (const text of [
      form,
      `before ${form} after`,
      `"${form}"`,
      `key=${form}&more`,
      JSON.stringify({ a: form }),
    ]) {
      const masked = mask.text(text)
      expect(masked).toContain('***')
      expect(formsIn(masked, secret)).toEqual([])
    }
  })
})

describe.each(secrets)('of %j in a value', (secret) => {
  it.each(Object.entries(encodedForms(secret)))('%s is hidden as in a text, whole or in part', (_, form) => {
    const mask = createMask([secret], '***')
    const written = [form, form.slice(0, 24), `a ${form}\n"b"`]
    const texts = written.flatMap((text) => [
      text,
      encodeURIComponent(Buffer.from(text).toString()),
      Buffer.from(text).toString('base64'),
      JSON.stringify({ [text]: text }),
    ])
    for (const masking of [mask, mask.inErrors])
      for (const text of texts)
        expect(masking.value({ a: [text, { [text]: null }] })).toEqual({
          a: [masking.text(text), { [masking.text(text)]: null }],
        })
  })
})

it.each(Object.entries(encodedForms(secrets[0] ?? '')))(
  '%s is hidden in base64 and in an address',
  (_, form) => {
    const mask = createMask(secrets, '***')
    for (const text of [Buffer.from(`x ${form}`).toString('base64'), encodeURIComponent(form)])
      expect(mask.text(text)).toMatch(/^.{0,12}\*\*\*.{0,12}$/)
  },
)

test.each([
  ['nothing', [], 'a text', 'a text'],
  ['a short one as a word', ['0815'], 'pin 0815, x0815, 08151', 'pin *, x0815, 08151'],
  ['a short one at the beginning of a line in JSON', ['0815'], '{"a":"pin\\n0815\\n"}', '{"a":"pin\\n*\\n"}'],
  ['bytes in hex behind a time', ['abcdefgh'], '02:29:16 61:62:63:64:65:66:67:68 61', '02:29:16 * 61'],
  [
    'bytes in hex behind others',
    ['abcdefgh'],
    '11:22:33:44:55:66:77:88 61 62 63 64 65 66 67 68',
    '11:22:33:44:55:66:77:88 *',
  ],
  [
    'a short one between encoded lines',
    ['hunter2'],
    'm=x%0Ahunter2%0D%0Ahunter2%09 "\\u000ahunter2\\u000a"',
    'm=x%0A*%0D%0A*%09 "\\u000a*\\u000a"',
  ],
  [
    'what is encoded behind a sign that is encoded',
    ['ab/cd+ef-gh12'],
    'name=%25ab%2Fcd%2Bef-gh12%25',
    'name=*%25',
  ],
  ['hex behind a sign', ['abcdefgh'], "LIKE '%6162636465666768%'", "LIKE '%*%'"],
  ['bytes in hex behind a sign', ['Abcdefgh'], '%41:62:63:64:65:66:67:68', '%*'],
  ['bytes in hex behind most of an escape', ['Abcdefgh'], '\\u00441:62:63:64:65:66:67:68', '\\u004*'],
  ['hex in a line behind most of an escape', ['Abcdefgh'], '\\u004\r\n4162636465666768', '\\u004\r\n*'],
  ['bytes in hex of a form', ['abcdefgh'], 'x=61+62+63+64+65+66+67+68&y', 'x=*&y'],
  ['digits that end an escape', ['4711-abcdefgh'], 'x\\u00%34%37%31%31-abcdefgh y', 'x* y'],
  ['a number that ends an escape', ['65;secret"word'], '&#%36%35;secret%22word', '*'],
  ['what could end as an escape', ['81&7es2r9cf'], 'x%0a81%267es2r9cf', 'x%0a*'],
  ['digits that end two escapes', ['590195"674528'], '%252590195%22674528 x', '* x'],
  ['what begins as an escape ends', ['n0rth"pa"ss1'], '"CORP\\\\n0rth\\"pa\\"ss1"', '"CORP\\\\n*"'],
  ['what ends as an escape begins', ['x&mt0r#%a'], '%4x%26mt0r%23%25a0', '%4*'],
  ['the digits of an escape that it ends with', ['ab"cd-word&#6'], 'ab&quot;cd-word&amp;#65; x', '* x'],
  [
    'escapes in escapes of a secret with backslashes',
    ['C:\\new\\xa1-dir'],
    '&#67;&#58;&#92;&#110;ew&#92;&#120;&#97;1-dir',
    '*',
  ],
  ['behind a break in JSON in JSON', ['r3al"secret'], 'x\\\\nr3al\\\\\\"secret', 'x\\\\n*'],
  ['what is short without its escapes', ['P[_%2bB3'], '/P%5B_%252bB3a', '/*a'],
  ['but not its end', ['deadbeef', '12345678'], 'roast\nbeef %20beef\n5678', 'roast\nbeef %20beef\n5678'],
  ['nor its beginning', ['pass&word', '50-per-cent%a'], 'pass the 50-per-cent', 'pass the 50-per-cent'],
  ['capitals in bytes', ['schlüssel-wort'], btoa(unescape(encodeURIComponent('SCHLÜSSEL-WORT'))), '*'],
  ['a blank that is a plus', ['two+more words'], 'two%2Bmore+words two+more words', '* *'],
  ['the shorter one of two', ['4abcdefgh-12', 'abcdefgh'], 'abcdefgh-12 4abcdefgh-12', '*-12 *'],
  [
    'base64 in indented lines',
    ['a long sensitive-value-4711'],
    'data: |\n  YSBsb25nIHNlbnNp\n  dGl2ZS12YWx1ZS00\n\tNzEx\n',
    'data: |\n  *\n',
  ],
  [
    'lines that are indented in another way',
    ['a:\n  b"c\n  d-e'],
    'k:\n    a:\n      b\\"c\n      d-e\n',
    'k:\n    *\n',
  ],
  ['indented lines of a form', ['a:\n  b&c\n  d-e'], 'x=a%3A%0A++b%26c%0A++d-e&y', 'x=*&y'],
  ['a short one in base64 behind digits of an escape', ['dOktC'], '55%522ZE9rdEM/', '55%522*/'],
  ['the same bytes in hex at each digit, but for the last', ['33333334'], '33333333333333334 x', '3* x'],
  [
    'bytes of a letter in hex at the next digit',
    ['\u00fc\u00fc\u00fc\u00fcabcd'],
    '4c3bcc3bcc3bcc3bc61626364 x',
    '4* x',
  ],
  ['a byte that repeats itself, to its last digit in base64', ['UUUUUUUU'], 'VVVVVVVVVVVVV x', '* x'],
  ['a byte that repeats itself, to its last digit in base32', ['UUUUUUUUUU'], `k${'vk'.repeat(12)} x`, '* x'],
  [
    'base64 before and behind many hex digits',
    ['C4nary-xxkG4'],
    `QzRuYXJ5LXh4a0c0${'deadbeef'.repeat(8)}QzRuYXJ5LXh4a0c0 x`,
    `*${'deadbeef'.repeat(8)}* x`,
  ],
  [
    'but no escape behind it whose sign is another one',
    ['%'.repeat(9)],
    `${'&#37;'.repeat(9)}&#93; x`,
    '*&#93; x',
  ],
  ['text in base64 behind a byte that is none', ['abcdefgh'], `${btoa('\0abcdefgh')} x`, 'A* x'],
  ['base32 behind letters', ['abcdefgh-ijkl'], 'otp ABMFRGGZDFMZTWQLLJNJVWY', 'otp AB*'],
  ['a shorter one as a whole', ['ab'], 'ab', '*'],
  ['but not inside', ['ab'], 'cabbage', 'cabbage'],
  ['a long one inside of words', ['abcdefgh'], 'xxabcdefghxx', 'xx*xx'],
  ['the longer of two', ['abcdefgh', 'abcdefgh-ijkl'], 'abcdefgh-ijkl', '*'],
  ['two that overlap', ['abcdefgh', 'fghijklm'], '-abcdefghijklm-', '-*-'],
  ['two in a row', ['abcdefgh'], 'abcdefghabcdefgh', '**'],
  ['with capitals that are none in other places', ['ΟΔΥΣΣΕΥΣ'], 'οδυσσευς ΟΔΥΣΣΕΥΣΑ', '* *Α'],
  ['what is half a character', ['half \ud800 character'], 'a half \ud800 character', 'a *'],
  [
    'a line of a key in JSON',
    ['{"private_key":"-----BEGIN KEY-----\\nAAAAB3NzaC1yc2E\\n-----END KEY-----\\n"}'],
    'key: AAAAB3NzaC1yc2E',
    'key: *',
  ],
  ['on one line', ['-----BEGIN-----\nabc\n-----END-----'], '-----BEGIN----- abc -----END-----', '*'],
] as const)('%s', (_, known, text, masked) => {
  expect(createMask(known, '*').text(text)).toBe(masked)
})

test.each([
  ['token ENVCANARY-4b1c… is invalid', 'token * is invalid'],
  ['token ENVCANARY-4b is invalid', 'token * is invalid'],
  ['token ENVCANARY-4 is invalid', 'token ENVCANARY-4 is invalid'],
  [`Basic ${btoa('ENVCANARY-4b1c9e')}`, 'Basic *=='],
  ['cannot reach https://hooks.example.com/T0/x', 'cannot reach https://hooks.example.com/T0/x'],
  ['cannot reach https://hooks.example.com/services/T0/B0', 'cannot reach *'],
])('in an error, %j', (text, masked) => {
  const mask = createMask([secrets[0] ?? '', 'https://hooks.example.com/services/T0/B0K3N'], '*')
  expect(mask.inErrors.text(text)).toBe(masked)
  expect(mask.text(text)).toBe(text)
})

test('in an error a short one is hidden inside of words, too', () => {
  expect(createMask(['0815'], '*').inErrors.text('x0815y')).toBe('x*y')
})

test('in an error no more is hidden than the run that a secret begins in', () => {
  const run = Buffer.from('0abcdefgh-ijkl').toString('base64')
  expect(createMask(['abcdefgh-ijkl-mnop'], '*').inErrors.secretsIn(run)).toEqual([{ start: 1, end: 19 }])
})

test('values keep their shape, and the result names where something was hidden', () => {
  const paths: unknown[] = []
  const value = { a: ['word-of-the-day', 1, null], 'word-of-the-day': { b: 47110815 }, __proto__x: true }
  const masked = createMask(['word-of-the-day', '47110815'], '*').value(value, {
    onMasked: (path) => paths.push(path),
  })
  expect(masked).toEqual({ a: ['*', 1, null], '*': { b: '*' }, __proto__x: true })
  expect(paths).toEqual([['a', 0], [], ['word-of-the-day', 'b']])
})

test('a secret that is encoded twice in one run is hidden twice', () => {
  const secret = 'C4nary-4711'
  const bytes = Buffer.concat([secret, '\0\0', secret, '\0', secret].map((part) => Buffer.from(part)))
  for (const encoding of ['base64', 'hex'] as const)
    for (const before of ['', 'x', 'ab', 'abc'])
      expect(
        createMask([secret], '*')
          .text(`${before}${bytes.toString(encoding)}`)
          .split('*'),
      ).toHaveLength(4)
})

test('a name that is declared is shown, also where it is a secret', () => {
  const mask = createMask(['status-of'], '*')
  const value = { 'status-of': 'status-of', inner: [{ 'status-of': 1, 'x-status-of': 2 }] }
  expect(mask.value(value, { names: new Set(['status-of']) })).toEqual({
    'status-of': '*',
    inner: [{ 'status-of': 1, 'x-*': 2 }],
  })
})

test('a value is searched by its JSON, whatever that escapes', () => {
  const mask = createMask(['p@ss "w"/rd'])
  expect(mask.isInJson(JSON.stringify({ a: [encodeURIComponent('p@ss "w"/rd')] }))).toBe(true)
  expect(mask.isInJson('{"a":"p@ss \\"\\u0077\\"\\/rd"}')).toBe(true)
  expect(mask.isInJson('{"a":"p@ss word"}')).toBe(false)
})

test.each([
  ['CORP\\n0rth"pa"ss1', 'n0rth"pa"ss1', 'CORP\\*'],
  ['LIKE %ab"cd"ef-gh12%', 'ab"cd"ef-gh12', 'LIKE *%'],
  ['a\fhunter2 b', 'hunter2', 'a\f* b'],
])('in a value %j', (text, secret, masked) => {
  expect(createMask([secret], '*').value({ a: text })).toEqual({ a: masked })
})

test('64 KiB of a secret, and 20,000 of them, are hidden', () => {
  const long = Array.from({ length: 8192 }, (_, at) => String(at).padStart(8, '-')).join('')
  const mask = createMask([long, ...Array.from({ length: 20_000 }, (_, at) => `sensitive-value-${at}-end`)])
  expect(mask.text(`a ${long} b ${Buffer.from(long).toString('base64')} c`)).toBe('a (masked) b (masked)== c')
  expect(mask.text('one sensitive-value-19999-end, sensitive-value-20000-end')).toBe(
    'one (masked), sensitive-value-20000-end',
  )
  expect(mask.inErrors.text(`a ${long.slice(0, 4001)}… b`)).toBe('a (masked) b')
})

/** Numbers that are the same each time. */
function createRandom(reusable: number): (below: number) => number {
  let state = reusable
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Every part that is a secret, found by trying each secret at each place. */
function naiveMask(text: string, known: readonly string[]): string {
  const isHidden = new Array<boolean>(text.length).fill(false)
  const isBegin = new Array<boolean>(text.length).fill(false)
  const isWord = (at: number): boolean => /[a-z]/i.test(text[at] ?? ' ')
  for (let start = 0; start < text.length; start++) {
    for (const secret of known) {
      const end = start + secret.length
      if (text.slice(start, end).toLowerCase() !== secret.toLowerCase()) continue
      const isInside = (isWord(start - 1) && isWord(start)) || (isWord(end - 1) && isWord(end))
      if (secret.length < 8 && isInside) continue
      if (!isHidden[start]) isBegin[start] = true
      isHidden.fill(true, start, end)
    }
  }
  return [...text].map((character, at) => (isBegin[at] ? '*' : isHidden[at] ? '' : character)).join('')
}

test('it hides what a search that tries everything hides, and nothing else', () => {
  const random = createRandom(7)
  const word = (most: number, alphabet: string): string =>
    Array.from({ length: 4 + random(most) }, () => alphabet[random(alphabet.length)]).join('')
  for (let round = 0; round < 3000; round++) {
    const known = Array.from({ length: 1 + random(6) }, () => word(round % 2 === 0 ? 5 : 16, 'aB.'))
    const pieces = Array.from({ length: random(12) }, () =>
      random(2) === 0 ? (known[random(known.length)] ?? '') : word(6, 'aAbB. '),
    )
    const text = pieces.join('')
    expect({ known, text, masked: createMask(known, '*').text(text) }).toEqual({
      known,
      text,
      masked: naiveMask(text, known),
    })
  }
})
