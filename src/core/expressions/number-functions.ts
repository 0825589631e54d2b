import type { JsonValue } from '../json.ts'
import type { ExpressionFunction, Parameter } from './function.ts'
import { convert, fail, type Machine, make, work } from './machine.ts'
import { numberType, textType } from './value-type.ts'

const number: Parameter = { name: 'number', kinds: ['number'] }
const numbers: Parameter = { name: 'list', kinds: ['list'], items: ['number'] }

/** Functions of numbers. */
export const numberFunctions: readonly ExpressionFunction[] = [
  {
    name: 'sum',
    parameters: [numbers],
    result: numberType,
    summary: 'The sum of a list of numbers.',
    example: '[1, 2, 3].sum() == 6',
    evaluate: ([list], machine) => {
      work(machine, (list as readonly number[]).length)
      return (list as readonly number[]).reduce((sum, value) => sum + value, 0)
    },
  },
  {
    name: 'min',
    parameters: [numbers],
    result: numberType,
    summary: 'The smallest of a list of numbers; an error for an empty one.',
    example: '[2, 1].min() == 1',
    evaluate: ([list], machine) => extreme(machine, list, Math.min),
  },
  {
    name: 'max',
    parameters: [numbers],
    result: numberType,
    summary: 'The largest of a list of numbers; an error for an empty one.',
    example: '[2, 1].max() == 2',
    evaluate: ([list], machine) => extreme(machine, list, Math.max),
  },
  ofOneNumber('floor', 'The whole number at or below.', 'floor(1.7) == 1', Math.floor),
  ofOneNumber('ceil', 'The whole number at or above.', 'ceil(1.2) == 2', Math.ceil),
  ofOneNumber('round', 'The nearest whole number; halves go up.', 'round(1.5) == 2', Math.round),
  ofOneNumber('abs', 'The number without its sign.', 'abs(-2) == 2', Math.abs),
  {
    name: 'formatNumber',
    parameters: [
      number,
      { name: 'digits', kinds: ['number'], check: digitsProblem },
      { name: 'separator', kinds: ['text'] },
    ],
    optional: 1,
    result: textType,
    summary:
      'The number, rounded, with a fixed count of digits after the point. A separator is written between thousands.',
    example: "formatNumber(2.1, 2) == '2.10' && formatNumber(1234567, 0, ',') == '1,234,567'",
    evaluate: ([value, digits, separator = ''], machine) => {
      const problem = digitsProblem(digits as JsonValue)
      if (problem !== undefined) return fail(machine, machine.at, problem)
      const mostDigits = Math.abs(value as number) < 1e21 ? 50 : 400
      convert(machine, mostDigits)
      make(machine, mostDigits + (separator as string).length * Math.ceil(mostDigits / 3))
      return formatNumber(value as number, digits as number, separator as string)
    },
  },
]

function digitsProblem(digits: JsonValue): string | undefined {
  const isCount = Number.isInteger(digits) && (digits as number) >= 0 && (digits as number) <= 20
  return isCount ? undefined : 'the number of digits is a whole number from 0 to 20'
}

function formatNumber(value: number, digits: number, separator: string): string {
  const size = Math.abs(value)
  // From 10^21 on, toFixed writes an exponent; such a number is whole.
  const fixed =
    size < 1e21 ? size.toFixed(digits) : BigInt(size) + (digits === 0 ? '' : `.${'0'.repeat(digits)}`)
  const [whole = '', rest] = fixed.split('.')
  const grouped = thousandsOf(whole).join(separator)
  const text = rest === undefined ? grouped : `${grouped}.${rest}`
  return value < 0 && /[1-9]/.test(fixed) ? `-${text}` : text
}

/** The digits in threes from the right. Not by a pattern, which would look through the rest at each digit. */
function thousandsOf(digits: string): readonly string[] {
  const parts: string[] = []
  for (let end = digits.length; end > 0; end -= 3) parts.unshift(digits.slice(Math.max(0, end - 3), end))
  return parts
}

function ofOneNumber(
  name: string,
  summary: string,
  example: string,
  evaluate: (value: number) => number,
): ExpressionFunction {
  return {
    name,
    parameters: [number],
    result: numberType,
    summary,
    example,
    evaluate: ([value]) => evaluate(value as number),
  }
}

function extreme(
  machine: Machine,
  list: JsonValue | undefined,
  better: (one: number, other: number) => number,
): number {
  const items = list as readonly number[]
  if (items.length === 0) return fail(machine, machine.at, 'the list is empty')
  work(machine, items.length)
  return items.reduce((one, other) => better(one, other))
}
