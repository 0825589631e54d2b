import type { JsonValue } from '../json.ts'
import type { ExpressionFunction, Parameter } from './function.ts'
import { fail, type Machine, work } from './machine.ts'
import { numberType } from './value-type.ts'

const number: Parameter = { name: 'number', kinds: ['number'] }
const numbers: Parameter = { name: 'list', kinds: ['list'], items: ['number'] }

/** Functions of numbers. */
export const numberFunctions: readonly ExpressionFunction[] = [
  {
    name: 'sum',
    group: 'numbers',
    parameters: [numbers],
    result: numberType,
    summary: 'The sum of a list of numbers.',
    example: '[1, 2, 3].sum() == 6',
    evaluate: ([list]) => (list as readonly number[]).reduce((sum, value) => sum + value, 0),
  },
  {
    name: 'min',
    group: 'numbers',
    parameters: [numbers],
    result: numberType,
    summary: 'The smallest of a list of numbers; an error for an empty one.',
    example: '[2, 1].min() == 1',
    evaluate: ([list], machine) => extreme(machine, list, Math.min),
  },
  {
    name: 'max',
    group: 'numbers',
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
]

function ofOneNumber(
  name: string,
  summary: string,
  example: string,
  evaluate: (value: number) => number,
): ExpressionFunction {
  return {
    name,
    group: 'numbers',
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
