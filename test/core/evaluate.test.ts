import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { evaluate } from '../../src/core/expressions/evaluate.ts'
import type { JsonObject, JsonValue } from '../../src/core/json.ts'
import { parseExpression } from '../../src/load/parse-expression.ts'

interface Case {
  readonly source: string
  readonly value?: JsonValue
  readonly error?: string
  readonly says?: string
}

const file = new URL('../cases/expressions/evaluate.yaml', import.meta.url)
const { scope, cases } = parse(readFileSync(file, 'utf8')) as { scope: JsonObject; cases: readonly Case[] }

function evaluateText(source: string, names: JsonObject = scope): JsonValue {
  const parsed = parseExpression(source)
  if ('problem' in parsed) throw new Error(parsed.problem.message)
  return evaluate({ source, tree: parsed.tree }, names)
}

it.each(cases)('$source', ({ source, value, error, says = '' }) => {
  if (error === undefined) expect(evaluateText(source)).toEqual(value)
  else {
    expect(() => evaluateText(source)).toThrow(
      expect.objectContaining({ code: error, message: expect.stringContaining(says) }),
    )
  }
})

it('stops an expression that would work for ever', () => {
  const list = Array.from({ length: 2000 }, (_, index) => index)
  expect(() => evaluateText('list.all(a, list.all(b, a != b || a == b))', { list })).toThrow(
    expect.objectContaining({ code: 'ExpressionTooCostly' }),
  )
})
