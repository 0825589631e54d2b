import { expect, test } from 'vitest'
import { createStreamMask } from '../../src/actions/output-file.ts'
import { createMask, secretMark } from '../../src/core/mask/mask.ts'

const short = 'C4nary-4711-token'
const long = `${short}-and-its-l0nger-sister`

/** As much as is searched at a time. */
const block = 2 * 64 * 1024

function masked(text: string, cuts: readonly number[]): string {
  const mask = createStreamMask(createMask([short, long], secretMark))
  const bytes = Buffer.from(text)
  const pieces = [0, ...cuts].map((from, at) => bytes.subarray(from, cuts[at]))
  return Buffer.concat([...pieces.map((piece) => mask.push(piece)), mask.end()]).toString()
}

const filler = (length: number): string => '. '.repeat(length).slice(0, length)

test.each([block, block / 2, block / 2 - short.length])(
  'a secret that begins like another is hidden whole where a block ends in it, at %d',
  (end) => {
    for (const inside of [0, 3, short.length - 1, short.length, short.length + 1, long.length]) {
      const before = filler(end - inside)
      const text = `${before}${long}${filler(block)}${long}.`
      expect(masked(text, [block]) === `${before}${secretMark}${filler(block)}${secretMark}.`).toBe(true)
    }
  },
)

test('text of several bytes a character is cut anywhere', () => {
  const before = filler(block / 2 - 40)
  const text = `${before}${'ä€😀'.repeat(40)}${long}${'ä€😀'.repeat(block / 9)}`
  for (const inside of [0, 1, 2, 3, 4, 5]) {
    const shown = masked(text, [block - inside, block + 7])
    expect(shown === text.replace(long, secretMark)).toBe(true)
  }
})

test('secrets without anything between them, longer than a block, are shown nowhere', () => {
  expect(masked(long.repeat(block / 20), [block, 2 * block])).toMatch(/^(\*\*\*)+$/)
})
