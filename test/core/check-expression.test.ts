import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { checkExpression } from '../../src/core/expressions/check.ts'
import { checkConstants } from '../../src/core/expressions/check-constants.ts'
import { guardsOf } from '../../src/core/expressions/guards.ts'
import { typeOfSchema } from '../../src/core/expressions/schema-type.ts'
import type { ValueType } from '../../src/core/expressions/value-type.ts'
import type { JsonSchema } from '../../src/core/json.ts'
import { parseExpression } from '../../src/load/expressions/parse-expression.ts'

interface Case {
  readonly source: string
  /** `CODE column part` of each problem, in order. */
  readonly findings?: readonly string[]
  /** A part of the first hint. */
  readonly hint?: string
  /** The kinds of the value. */
  readonly kinds?: readonly string[]
}

interface Data {
  readonly scope: Readonly<Record<string, { readonly schema: JsonSchema; readonly exact?: boolean }>>
  readonly groups: readonly { readonly name: string; readonly cases: readonly Case[] }[]
}

const file = new URL('../cases/expressions/check.yaml', import.meta.url)
const { scope, groups } = parse(readFileSync(file, 'utf8')) as Data
const types = Object.fromEntries(
  Object.entries(scope).map(([name, { schema, exact = false }]) => [
    name,
    withSureOutputs(typeOfSchema(schema, { isExact: exact })),
  ]),
)

/** The outputs of a step are there when it succeeded, which no schema says. */
function withSureOutputs(type: ValueType): ValueType {
  if (type.fields === undefined) return type
  const fields = Object.entries(type.fields).map(([name, field]) => [
    name,
    {
      ...field,
      type: withSureOutputs(field.type),
      ...(name === 'outputs' ? { sureWhen: ['== succeeded'] } : {}),
    },
  ])
  return { ...type, fields: Object.fromEntries(fields) }
}

describe.each(groups)('$name', ({ cases }) => {
  it.each(cases)('$source', ({ source, findings = [], hint, kinds }) => {
    const parsed = parseExpression(source)
    if ('problem' in parsed) throw new Error(parsed.problem.message)
    const { type, problems } = checkExpression(parsed.tree, { types, guarded: new Set() })
    const constants = problems.length > 0 ? [] : checkConstants({ source, tree: parsed.tree })
    const found = [...problems, ...constants].map(
      ({ code, span }) => `${code} ${span[0] + 1} ${source.slice(...span)}`,
    )
    expect(found).toEqual(findings)
    if (hint !== undefined) expect(problems[0]?.hint).toContain(hint)
    if (kinds !== undefined) expect(type.kinds).toEqual(kinds)
  })
})

it('knows what the condition of a step makes sure of', () => {
  const guards = (source: string, outcome?: boolean): readonly string[] => {
    const parsed = parseExpression(source)
    if ('problem' in parsed) throw new Error(parsed.problem.message)
    return guardsOf(parsed.tree, outcome)
  }
  const step = ['steps.a.status', 'steps.a', 'steps']
  expect(guards("steps.a.status == 'succeeded'")).toEqual([...step, 'steps.a == succeeded'])
  expect(guards("steps.a.status != 'succeeded'", false)).toEqual([...step, 'steps.a == succeeded'])
  expect(guards("'skipped' != steps.a.status")).toEqual([...step, 'steps.a != skipped'])
  expect(guards("run.outcome == 'failed'")).toEqual(['run.outcome', 'run', 'run == failed'])
  expect(guards("has(inputs['odd-name'].x[0])")).toEqual([
    'inputs["odd-name"].x[0]',
    'inputs["odd-name"].x',
    'inputs["odd-name"]',
    'inputs',
  ])
})

it('takes the paths that a condition around the expression makes sure of', () => {
  const parsed = parseExpression('inputs.ratio')
  if ('problem' in parsed) throw new Error(parsed.problem.message)
  const check = (guarded: readonly string[]) =>
    checkExpression(parsed.tree, { types, guarded: new Set(guarded) }).problems.map(({ code }) => code)
  expect(check(['inputs.ratio'])).toEqual([])
  expect(check(['inputs.rat', 'inputs'])).toEqual(['MISSING_GUARD'])
})
