/** The word of a plan is in the audit, so it must not confirm a guess of a sensitive input. */
import { expect, test, vi } from 'vitest'

test.each([
  ['without sensitive values have one word, also in the next process', false, 1],
  ['with sensitive values have one word in a process, and another one in the next process', true, 2],
])('facts %s', async (_, hasSensitive, count) => {
  const words: string[] = []
  for (const __ of ['this process', 'the next one']) {
    vi.resetModules()
    const { wordOf } = await import('../../src/cli/console/acts/word-of.ts')
    const word = wordOf(['hash of the plan', { pin: '4711', size: 1 }], hasSensitive)
    expect(wordOf(['hash of the plan', { size: 1, pin: '4711' }], hasSensitive)).toBe(word)
    expect(wordOf(['hash of the plan', { pin: '4712', size: 1 }], hasSensitive)).not.toBe(word)
    expect(word).toMatch(/^1-[0-9a-f]{10}$/)
    words.push(word)
  }
  expect(new Set(words).size).toBe(count)
})
