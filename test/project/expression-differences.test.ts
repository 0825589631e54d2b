import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { differences } from '../../scripts/docs/expression-differences.ts'
import { evaluate } from '../../src/core/expressions/evaluate.ts'
import { parseExpression } from '../../src/load/expressions/parse-expression.ts'

/** What becomes of an expression, in the words of the table. */
function outcomeOf(source: string): string {
  const parsed = parseExpression(source)
  if ('problem' in parsed) return 'refused'
  try {
    return String(evaluate({ source, tree: parsed.tree }, {}))
  } catch {
    return 'an error'
  }
}

describe('differences to CEL that the reference names', () => {
  it.each(differences)('$what: $example is $becomes', ({ example, becomes }) => {
    expect(outcomeOf(example)).toBe(becomes)
  })
})

it('the reference writes only expressions that can be read', () => {
  const page = readFileSync(new URL('../../docs/expressions.md', import.meta.url), 'utf8')
  const [written = ''] = page.split('## Differences to CEL')
  const sources = [...written.matchAll(/\$\{\{ ([^}`…]*?) \}\}/g)].map(([, source = '']) => source)
  expect(sources.length).toBeGreaterThan(4)
  for (const source of sources) expect(parseExpression(source), source).toHaveProperty('tree')
})
