import type { Value } from '@bufbuild/cel-spec/cel/expr/value_pb.js'
import {
  getCheckingSuite,
  getComprehensionSuite,
  getConformanceSuite,
  getParsingSuite,
  type IncrementalTest,
  type IncrementalTestSuite,
} from '@bufbuild/cel-spec/testdata/tests.js'
import { evaluate } from '../../../src/core/expressions/evaluate.ts'
import type { JsonObject, JsonValue } from '../../../src/core/json.ts'
import { RunbookError } from '../../../src/core/run-error.ts'
import { parseExpression } from '../../../src/load/expressions/parse-expression.ts'

/** One case of the public data: where it stands, and whether we do as it says. */
export interface CelCase {
  readonly group: string
  /** The group, and the name of the case in it. */
  readonly id: string
  /** What is different here; undefined where nothing is. */
  readonly difference: () => string | undefined
}

/** Every case of the four suites, in their order. */
export function celCases(): readonly CelCase[] {
  const values = getConformanceSuite().suites.flatMap((suite) =>
    casesOf(suite, suite.name, differenceOfValue),
  )
  const texts = [getParsingSuite(), getComprehensionSuite()]
  const types = getCheckingSuite()
  return [
    ...values,
    ...texts.flatMap((suite) => casesOf(suite, suite.name, differenceOfSyntax)),
    ...casesOf(types, types.name, () => 'the types of CEL are not deduced'),
  ]
}

function casesOf(
  suite: IncrementalTestSuite,
  group: string,
  differenceOf: (test: IncrementalTest) => string | undefined,
): readonly CelCase[] {
  const names = suite.tests.map(({ name }) => shortName(name))
  const own = suite.tests.map((test, index) => {
    const nth = names.slice(0, index + 1).filter((name) => name === names[index]).length
    const id = `${group}/${names[index]}${nth === 1 ? '' : ` (${nth})`}`
    return { group, id, difference: () => differenceOf(test) }
  })
  return [...own, ...suite.suites.flatMap((inner) => casesOf(inner, `${group}/${inner.name}`, differenceOf))]
}

/** Cases without a name are called by their expression. */
function shortName(name: string): string {
  return name.length <= 80 ? name : `${name.slice(0, 60)}… (${name.length} characters)`
}

/** Whether an expression can be read where CEL can read it. */
function differenceOfSyntax({ original, ast }: IncrementalTest): string | undefined {
  const parsed = parseExpression(original.expr)
  if ('tree' in parsed) return ast === undefined ? 'can be read, which CEL refuses' : undefined
  return ast === undefined ? undefined : `cannot be read: ${parsed.problem.message}`
}

/** Whether an expression has the value or the error that CEL gives it. */
function differenceOfValue({
  original: { expr, bindings, resultMatcher },
}: IncrementalTest): string | undefined {
  // `dyn` stops the checks of CEL's compiler, and changes no value.
  const source = inOurWords(expr.replaceAll(/\bdyn\(/g, '('))
  const scope: Record<string, JsonValue> = {}
  for (const [name, { kind }] of Object.entries(bindings)) {
    const value = kind.case === 'value' ? jsonOf(kind.value) : undefined
    if (value === undefined) return `JSON cannot hold ${name}`
    scope[name] = value
  }
  const parsed = parseExpression(source)
  if ('problem' in parsed) return `cannot be read: ${parsed.problem.message}`
  const result = run({ source, tree: parsed.tree }, scope)
  if (resultMatcher.case === 'evalError') return 'error' in result ? undefined : 'has a value and no error'
  if ('error' in result) return `has an error: ${result.error}`
  const matcher = resultMatcher.case === 'typedResult' ? resultMatcher.value.result : resultMatcher.value
  const wanted = resultMatcher.case === undefined ? true : jsonOf(matcher as Value | undefined)
  if (wanted === undefined) return 'JSON cannot hold the value'
  return sameText(result.value) === sameText(wanted) ? undefined : `is ${JSON.stringify(result.value)}`
}

/** Functions that are the same and have another name here. Texts stand for the bytes of Base64. */
function inOurWords(expression: string): string {
  return expression
    .replaceAll("base64.encode(b'", "base64('")
    .replaceAll('base64.encode(', 'base64(')
    .replaceAll('base64.decode(', 'fromBase64(')
}

function run(
  expression: Parameters<typeof evaluate>[0],
  scope: JsonObject,
): { readonly value: JsonValue } | { readonly error: string } {
  try {
    return { value: evaluate(expression, scope) }
  } catch (error) {
    if (RunbookError.is(error) && error.code === 'ExpressionFailed') return { error: error.message }
    throw error
  }
}

/** The value as JSON; undefined where JSON cannot hold it. */
function jsonOf(message: Value | undefined): JsonValue | undefined {
  const kind = message?.kind
  switch (kind?.case) {
    case 'nullValue':
      return null
    case 'boolValue':
    case 'stringValue':
      return kind.value
    case 'bytesValue':
      return new TextDecoder().decode(kind.value)
    case 'doubleValue':
      return Number.isFinite(kind.value) ? kind.value : undefined
    case 'int64Value':
      return Number.isSafeInteger(Number(kind.value)) ? Number(kind.value) : undefined
    case 'listValue': {
      const items = kind.value.values.map(jsonOf)
      return items.some((item) => item === undefined) ? undefined : (items as JsonValue[])
    }
    case 'mapValue': {
      const entries = kind.value.entries.map(({ key, value }) => [jsonOf(key), jsonOf(value)] as const)
      const isJson = entries.every(([key, value]) => typeof key === 'string' && value !== undefined)
      return isJson ? (Object.fromEntries(entries) as JsonObject) : undefined
    }
    default:
      return undefined
  }
}

/** The value as text, whatever the order of its fields. */
function sameText(value: JsonValue): string {
  return JSON.stringify(value, (_, part: JsonValue) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )
}
