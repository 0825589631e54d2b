import { describe, expect, it } from 'vitest'
import { createFinder } from '../../src/core/expressions/find-part.ts'
import type { Machine } from '../../src/core/expressions/machine.ts'

const machine = (): Machine => ({
  scope: {},
  source: '',
  variable: undefined,
  patterns: undefined,
  zones: undefined,
  at: { kind: 'value', value: null, span: [0, 0] },
  steps: 0,
  size: 0,
})

describe('the search that takes linear time', () => {
  let reusable = 3
  const random = (below: number): number => {
    reusable = (reusable * 1_103_515_245 + 12_345) & 0x7fffffff
    return (reusable >> 8) % below
  }
  const word = (length: number): string => Array.from({ length }, () => 'ab'[random(2)]).join('')

  it('finds what the engine finds', () => {
    let found = 0
    for (let count = 0; count < 300; count++) {
      const text = word(12_000)
      const start = random(11_000)
      const part = random(3) === 0 ? word(9 + random(4)) : text.slice(start, start + 9 + random(200))
      const from = random(2) * random(12_000)
      const index = createFinder(machine(), text, part)(text, from)
      expect(index).toBe(text.indexOf(part, from))
      if (index >= 0) found++
    }
    expect(found).toBeGreaterThan(100)
  })

  it('goes back no further than it must', () => {
    const text = `${'a'.repeat(20_000)}b`
    expect(createFinder(machine(), text, `${'a'.repeat(10)}b`)(text, 0)).toBe(19_990)
    expect(createFinder(machine(), text, `${'a'.repeat(10)}c`)(text, 0)).toBe(-1)
    expect(createFinder(machine(), text, 'b'.repeat(10))(text, 0)).toBe(-1)
  })
})
