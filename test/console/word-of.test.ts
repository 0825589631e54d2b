/** The word of a plan is in the audit, so it must not confirm a guess of a sensitive input. */
import { expect, test, vi } from 'vitest'
import { holdsSensitive } from '../../src/acts/preview-word.ts'
import type { Plan } from '../../src/core/plan/index.ts'

test.each([
  ['without sensitive values have one word, also in the next process', false, 1],
  ['with sensitive values have one word in a process, and another one in the next process', true, 2],
])('facts %s', async (_, hasSensitive, count) => {
  const words: string[] = []
  for (const __ of ['this process', 'the next one']) {
    vi.resetModules()
    const { previewWordOf } = await import('../../src/acts/preview-word.ts')
    const word = previewWordOf(['hash of the plan', { pin: '4711', size: 1 }], hasSensitive)
    expect(previewWordOf(['hash of the plan', { size: 1, pin: '4711' }], hasSensitive)).toBe(word)
    expect(previewWordOf(['hash of the plan', { pin: '4712', size: 1 }], hasSensitive)).not.toBe(word)
    expect(word).toMatch(/^1-[0-9a-f]{10}$/)
    words.push(word)
  }
  expect(new Set(words).size).toBe(count)
})

const inputs = { type: 'object', properties: { pin: { type: 'string', writeOnly: true }, size: {} } }
const keyed = { inputs: { type: 'object', properties: { key: { format: 'password' } } } }

test.each([
  [{ inputs }, { pin: '4711' }, true],
  [{ inputs }, { size: 1 }, false],
  [{}, {}, false],
  // What a child gets can be made of any input.
  [{ inputs, children: { keyed } }, { size: 1 }, true],
  [{ inputs, children: { other: {} } }, { size: 1 }, false],
])('a plan %j with the inputs %j: the word is of this process alone: %s', (plan, given, isSensitive) => {
  expect(holdsSensitive(plan as unknown as Plan, given)).toBe(isSensitive)
})
