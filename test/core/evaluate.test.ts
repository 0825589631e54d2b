import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { evaluate } from '../../src/core/expressions/evaluate.ts'
import { expressionFunctions } from '../../src/core/expressions/functions.ts'
import type { JsonObject, JsonValue } from '../../src/core/json.ts'
import { parseExpression } from '../../src/load/expressions/parse-expression.ts'

interface Case {
  readonly source: string
  readonly value?: JsonValue
  readonly error?: string
  readonly says?: string
}

interface Group {
  readonly name: string
  readonly cases: readonly Case[]
}

const file = new URL('../cases/expressions/evaluate.yaml', import.meta.url)
const { scope, groups } = parse(readFileSync(file, 'utf8')) as { scope: JsonObject; groups: readonly Group[] }

function evaluateText(source: string, names: JsonObject = scope): JsonValue {
  const parsed = parseExpression(source)
  if ('problem' in parsed) throw new Error(parsed.problem.message)
  // A plan is read back from JSON before it is run.
  const tree = JSON.parse(JSON.stringify(parsed.tree)) as typeof parsed.tree
  return evaluate({ source, tree }, names)
}

describe.each(groups)('$name', ({ cases }) => {
  it.each(cases)('$source', ({ source, value, error, says = '' }) => {
    if (error === undefined) expect(evaluateText(source)).toStrictEqual(value)
    else {
      expect(() => evaluateText(source)).toThrow(
        expect.objectContaining({ code: error, message: expect.stringContaining(says) }),
      )
    }
  })
})

describe('the examples of the functions', () => {
  it.each(expressionFunctions)('$name: $example', ({ example }) => {
    expect(evaluateText(example, {})).toBe(true)
  })
})

it('evaluates one tree on many scopes', () => {
  const source = 'list.filter(x, x > least)'
  const parsed = parseExpression(source)
  if ('problem' in parsed) throw new Error(parsed.problem.message)
  const expression = { source, tree: parsed.tree }
  expect([1, 2, 3].map((least) => evaluate(expression, { list: [1, 2, 3], least }))).toEqual([
    [2, 3],
    [3],
    [],
  ])
  expect(() => evaluate(expression, { list: [1], least: 'a' })).toThrow('does not work')
  expect(evaluate(expression, { list: [5], least: 4 })).toEqual([5])
})

it('changes nothing it was given', () => {
  const frozen = <T>(value: T): T => {
    if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen)
    return Object.freeze(value)
  }
  const names = frozen({ list: [{ a: 3 }, { a: 1 }] })
  expect(evaluateText('[list + list, list.map(x, x.a).sort(), list.filter(x, x.a > 1)]', names)).toEqual([
    [{ a: 3 }, { a: 1 }, { a: 3 }, { a: 1 }],
    [1, 3],
    [{ a: 3 }],
  ])
})
