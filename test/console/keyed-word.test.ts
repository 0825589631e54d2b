/** The word of a plan is in the audit, so it must not confirm a guess of a sensitive input. */
import { expect, test, vi } from 'vitest'

test('facts have one word in a process, and another one in the next process', async () => {
  const facts = ['hash of the plan', { pin: '4711' }]
  const words: string[] = []
  for (const _ of ['this process', 'the next one']) {
    vi.resetModules()
    const { keyedWord } = await import('../../src/cli/console/acts/keyed-word.ts')
    const word = keyedWord(facts)
    expect(keyedWord(structuredClone(facts))).toBe(word)
    expect(keyedWord(['hash of the plan', { pin: '4712' }])).not.toBe(word)
    expect(word).toMatch(/^1-[0-9a-f]{10}$/)
    words.push(word)
  }
  expect(new Set(words).size).toBe(2)
})
