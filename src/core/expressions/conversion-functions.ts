import { isBeyondNumbers, type JsonValue } from '../json.ts'
import { withoutMark } from '../text/index.ts'
import type { ExpressionFunction } from './function.ts'
import { convert, fail, make, maxDepth, measure, scan } from './machine.ts'
import { anyType, numberType, textType } from './value-type.ts'

/** Functions from one kind of value to another: nothing is converted unasked. */
export const conversionFunctions: readonly ExpressionFunction[] = [
  {
    name: 'string',
    parameters: [{ name: 'value', kinds: ['text', 'number', 'boolean'] }],
    result: textType,
    summary: 'A text, a number, or true or false as text.',
    example: "string(42) == '42'",
    evaluate: ([value]) => String(value),
  },
  {
    name: 'number',
    parameters: [{ name: 'value', kinds: ['text', 'number'], check: numberProblem }],
    result: numberType,
    summary:
      'A text as number; an error for a text that is none, or a number beyond 2^53 that would lose digits.',
    example: "number('1.5') == 1.5",
    evaluate: ([value], machine) => {
      if (typeof value === 'string') scan(machine, value.length)
      const problem = numberProblem(value as JsonValue)
      return problem === undefined ? Number(value) : fail(machine, machine.at, problem)
    },
  },
  {
    name: 'json',
    parameters: [{ name: 'value', kinds: ['null', 'boolean', 'number', 'text', 'list', 'map'] }],
    result: textType,
    summary: 'Any value as JSON text.',
    example: `json({'a': 1}) == '{"a":1}'`,
    evaluate: ([value], machine) => {
      measure(machine, value as JsonValue)
      const text = JSON.stringify(value)
      make(machine, text.length)
      return text
    },
  },
  {
    name: 'fromJson',
    parameters: [{ name: 'text', kinds: ['text'], check: (value) => problemOf(readJson(value as string)) }],
    result: anyType,
    summary: 'The value that a JSON text stands for; an error for a text that is none.',
    example: `fromJson('{"a": [1]}').a[0] == 1`,
    evaluate: ([text], machine) => {
      convert(machine, (text as string).length)
      make(machine, (text as string).length)
      const read = readJson(text as string)
      if ('problem' in read) return fail(machine, machine.at, read.problem)
      measure(machine, read.value)
      return read.value
    },
  },
]

function problemOf(read: { readonly value: JsonValue } | { readonly problem: string }): string | undefined {
  return 'problem' in read ? read.problem : undefined
}

function readJson(text: string): { readonly value: JsonValue } | { readonly problem: string } {
  let value: JsonValue
  try {
    value = JSON.parse(withoutMark(text)) as JsonValue
  } catch {
    // Not the reason that the engine gives: it is another one in other versions of Node.
    return { problem: `${JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)} is no JSON` }
  }
  // The text is JSON, so a quote begins a string and a digit a number. Both are found in one pass.
  let depth = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*|[[\]{}]/g)) {
    if (token === '[' || token === '{') depth++
    else if (token === ']' || token === '}') depth--
    else if (!token.startsWith('"')) {
      const problem = numberProblem(token)
      if (problem !== undefined) return { problem }
    }
    if (depth > maxDepth) return { problem: `the JSON is nested deeper than ${maxDepth} levels` }
  }
  return { value }
}

function numberProblem(value: JsonValue): string | undefined {
  if (typeof value !== 'string') return undefined
  const shown = JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
  const isNumeral = value.length <= 400 && /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(value)
  if (!isNumeral || !Number.isFinite(Number(value))) return `${shown} is not a number`
  return isBeyondNumbers(value) ? `${shown} is beyond 2^53 - 1 and cannot be held exactly` : undefined
}
