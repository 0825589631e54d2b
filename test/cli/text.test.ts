import { expect, test } from 'vitest'
import { columns, cut, pad, wrap } from '../../src/cli/shared/terminal/columns.ts'
import { countdownText, countText, durationText } from '../../src/cli/shared/terminal/quantity-text.ts'
import { createMask } from '../../src/core/mask/mask.ts'
import { plainPaint } from '../../src/project/index.ts'
import { hideFields } from '../../src/project/records/index.ts'
import { excerpt } from '../../src/project/runbooks/print-diagnostic.ts'

test.each([
  [0, '0.0s'],
  [1234, '1.2s'],
  [9940, '9.9s'],
  [9960, '10s'],
  [59_400, '59s'],
  [59_600, '59s'],
  [65_000, '1m 05s'],
  [118_900, '1m 58s'],
  [3_600_000, '1h 00m'],
  [90_000_000, '1d 01h'],
  [-5, '0.0s'],
])('%d ms last %s', (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text)
})

test.each([
  [1, '1s'],
  [1000, '1s'],
  [1001, '2s'],
  [0, '0s'],
  [-1, '0s'],
  [60_000, '1m 00s'],
])('%d ms left count as %s', (milliseconds, text) => {
  expect(countdownText(milliseconds)).toBe(text)
})

test.each([
  [0, '0 items'],
  [1, '1 item'],
  [2, '2 items'],
])('%d of them are called %s', (count, text) => {
  expect(countText(count, 'item')).toBe(text)
})

test('columns are as wide as their widest cell, in characters', () => {
  const rows = [
    ['a', 'bb', 'end'],
    ['✔✔✔', '', 'x'],
  ]
  expect(columns(rows)).toEqual(['a    bb  end', '✔✔✔      x'])
})

test.each<[string, readonly (readonly string[])[], readonly string[]]>([
  [
    'Chinese',
    [
      ['主机', 'a'],
      ['web-01', 'b'],
    ],
    ['主机    a', 'web-01  b'],
  ],
  [
    'an emoji of several code points',
    [
      ['👩‍💻', 'a'],
      ['abc', 'b'],
    ],
    ['👩‍💻   a', 'abc  b'],
  ],
  [
    'a letter with a combining accent',
    [
      ['e\u0301', 'a'],
      ['ab', 'b'],
    ],
    ['e\u0301   a', 'ab  b'],
  ],
])('columns count what the terminal shows: %s', (_, rows, lines) => {
  expect(columns(rows)).toEqual(lines)
})

test.each([
  ['web-01', 6, 'web-01'],
  ['web-01', 5, 'web-…'],
  ['主机名称', 8, '主机名称'],
  ['主机名称', 7, '主机名…'],
  ['主机名称', 6, '主机…'],
  ['主机名称', 3, ''],
])('%s in %d columns is cut to "%s"', (text, width, shown) => {
  expect(cut(text, width)).toBe(shown)
})

test('a text is filled up to a width of the terminal', () => {
  expect(pad('主机', 6)).toBe('主机  ')
  expect(pad('主机', 2)).toBe('主机')
})

test.each<[string, number, readonly string[]]>([
  ['shall it be published', 10, ['shall it', 'be', 'published']],
  ['要发布这份报告吗', 8, ['要发布这', '份报告吗']],
  ['发布 报告 吗', 9, ['发布 报告', '吗']],
  ['abcdefgh', 3, ['abc', 'def', 'gh']],
  ['', 10, ['']],
])('"%s" is broken to %d columns', (text, width, lines) => {
  expect(wrap(text, width)).toEqual(lines)
})

const at = (line: number, from: number, to: number) => ({
  start: { line, column: from, offset: 0 },
  end: { line, column: to, offset: 0 },
})

test('an excerpt shows the line and what is meant in it', () => {
  const text = 'one\n  two: three\n'
  expect(excerpt(text, at(2, 8, 13), plainPaint)).toEqual(['2 |   two: three', '  |        ^^^^^'])
})

test('of a long line the part around the mistake is shown', () => {
  const text = `${'a'.repeat(500)}MISTAKE${'b'.repeat(500)}`
  const [line = '', carets = ''] = excerpt(text, at(1, 501, 508), plainPaint)
  expect(line.length).toBeLessThan(115)
  const start = carets.indexOf('^')
  expect(line.slice(start, start + 7)).toBe('MISTAKE')
  expect(carets.slice(start)).toBe('^^^^^^^')
})

test('a range over several lines is marked to the end of its first', () => {
  const range = { start: { line: 1, column: 3, offset: 2 }, end: { line: 3, column: 1, offset: 9 } }
  expect(excerpt('ab: \nc\nd', range, plainPaint)[1]).toBe('  |   ^')
})

const secret = 'p@ss "w"/rd'

test.each([
  secret,
  `before ${secret} after`,
  JSON.stringify({ secret }),
  `https://x/?app_key=${encodeURIComponent(secret)}`,
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('base64url'),
  [...Buffer.from(secret)].map((byte) => `%${byte.toString(16).toUpperCase()}`).join(''),
])('a mask hides a secret in %j', (text) => {
  const masked = createMask([secret]).text(text)
  expect(masked).toContain('(masked)')
  expect(masked).not.toContain('rd')
})

test.each(
  ['', 'u', 'us', 'user:'].flatMap((before) =>
    (['base64', 'base64url'] as const).map((encoding) => [before, encoding] as const),
  ),
)('a mask hides a secret after %j inside %s', (before, encoding) => {
  const long = 'canary~~~??>>'
  const masked = createMask([long]).text(
    `Basic ${Buffer.from(`${before}${long} and more`).toString(encoding)}`,
  )
  expect(masked).toMatch(/^Basic .{0,8}\(masked\)/)
})

test('a mask learns the fields that outputs mark, through lists and maps', () => {
  const mask = createMask()
  const outputs = {
    items: [{ client_token: 'token-one' }, { client_token: 'token-two' }, { other: 'x' }],
    pin: { a: 12345 },
  }
  hideFields(mask, outputs, ['items.*.client_token', 'pin'])
  expect(mask.value({ said: ['token-one and token-two', 12345, true, null], 'token-one': 'x' })).toEqual({
    said: ['(masked) and (masked)', '(masked)', true, null],
    '(masked)': 'x',
  })
  expect(mask.text('token-three, x')).toBe('token-three, x')
})

test('a secret that is no well-formed text is hidden as well', () => {
  expect(createMask(['half \ud800 character']).text('a half \ud800 character')).toBe('a (masked)')
})

test('a short secret is hidden where it stands alone, and spoils no other text', () => {
  const mask = createMask(['ab'])
  expect(mask.value(['ab', 'cabbage'])).toEqual(['(masked)', 'cabbage'])
})

test('of a secret inside another the longer one is hidden', () => {
  expect(createMask(['abcd', 'abcdefgh']).text('abcdefgh')).toBe('(masked)')
})
