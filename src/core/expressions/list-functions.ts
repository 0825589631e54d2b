import type { JsonObject, JsonValue } from '../json.ts'
import type { ExpressionFunction, Parameter } from './function.ts'
import { fail, itemSize, type Machine, make, measure, scan, stepsForAField, work } from './machine.ts'
import { compareTexts } from './operators.ts'
import { countCharacters } from './text-functions.ts'
import { anyType, canBe, itemsOf, listOf, numberType, textType, type ValueType } from './value-type.ts'

type List = readonly JsonValue[]

/** How many numbers `range` gives at most. */
const maxRange = 10_000

/** What writing a part of a value with sorted names counts as. */
const stepsToWriteAPart = 30

const list: Parameter = { name: 'list', kinds: ['list'] }
const anyList = listOf(anyType)
const sameList = ([type = anyType]: readonly ValueType[]): ValueType => listOf(itemsOf(type))
const itemOfList = ([type = anyType]: readonly ValueType[]): ValueType => itemsOf(type)

/** Functions of lists, and `size`. */
export const listFunctions: readonly ExpressionFunction[] = [
  {
    name: 'size',
    parameters: [{ name: 'value', kinds: ['text', 'list', 'map'] }],
    result: numberType,
    summary: 'Number of characters of a text, items of a list or fields of a map.',
    example: "size('web-01') == 6",
    evaluate: ([value], machine) => size(machine, value as JsonValue),
  },
  {
    name: 'first',
    parameters: [list],
    result: anyType,
    resultOf: itemOfList,
    summary: 'The first item of a list; an error for an empty one.',
    example: '[1, 2].first() == 1',
    evaluate: ([items], machine) => itemAt(machine, items as List, 0),
  },
  {
    name: 'last',
    parameters: [list],
    result: anyType,
    resultOf: itemOfList,
    summary: 'The last item of a list; an error for an empty one.',
    example: '[1, 2].last() == 2',
    evaluate: ([items], machine) => itemAt(machine, items as List, (items as List).length - 1),
  },
  {
    name: 'slice',
    parameters: [list, { name: 'from', kinds: ['number'] }, { name: 'to', kinds: ['number'] }],
    optional: 1,
    result: anyList,
    resultOf: sameList,
    summary: 'The items from one position to before another, or to the end; fewer where the list is shorter.',
    example: '[1, 2, 3].slice(0, 2) == [1, 2]',
    evaluate: ([items, from, to], machine) => slice(machine, items as List, from as number, to),
  },
  {
    name: 'flatten',
    parameters: [{ ...list, items: ['list'] }],
    result: anyList,
    resultOf: ([type = anyType]) => listOf(itemsOf(itemsOf(type))),
    summary: 'The items of the lists in a list, one level deep.',
    example: '[[1], [2, 3]].flatten() == [1, 2, 3]',
    evaluate: ([items], machine) => {
      for (const inner of items as readonly List[]) make(machine, inner.length * itemSize)
      return (items as readonly List[]).flat(1) as List
    },
  },
  {
    name: 'distinct',
    parameters: [list],
    result: anyList,
    resultOf: sameList,
    summary: 'The list without items that are equal to an earlier one.',
    example: "['a', 'b', 'a'].distinct() == ['a', 'b']",
    evaluate: ([items], machine) => distinct(machine, items as List),
  },
  {
    name: 'sort',
    parameters: [{ ...list, items: ['number', 'text'] }],
    result: anyList,
    resultOf: sameList,
    summary: 'A list of texts or of numbers in rising order.',
    example: '[3, 1, 2].sort() == [1, 2, 3]',
    evaluate: ([items], machine) => sort(machine, items as List),
  },
  {
    name: 'reverse',
    parameters: [{ name: 'value', kinds: ['text', 'list'] }],
    result: { kinds: ['text', 'list'] },
    resultOf: ([type = anyType]) =>
      canBe(type, 'text') ? { kinds: type.kinds ?? ['text', 'list'] } : sameList([type]),
    summary: 'The items of a list, or the characters of a text, from the last one to the first.',
    example: '[1, 2, 3].reverse() == [3, 2, 1]',
    evaluate: ([value], machine) => reverse(machine, value as string | List),
  },
  {
    name: 'range',
    parameters: [
      { name: 'number', kinds: ['number'], check: rangeProblem },
      { name: 'end', kinds: ['number'], check: rangeProblem },
    ],
    optional: 1,
    result: listOf(numberType),
    summary: `The whole numbers from 0 to before a number; with two, from the first to before the second. At most ${maxRange}.`,
    example: 'range(3) == [0, 1, 2] && range(2, 4) == [2, 3]',
    evaluate: ([first, second], machine) => {
      const [from, to] = second === undefined ? [0, first as number] : [first as number, second as number]
      return range(machine, from, to)
    },
  },
  {
    name: 'join',
    parameters: [
      { ...list, items: ['text'] },
      { name: 'separator', kinds: ['text'] },
    ],
    optional: 1,
    result: textType,
    summary: 'The texts of a list as one text, with a separator between them.',
    example: "['a', 'b'].join(', ') == 'a, b'",
    evaluate: ([items, separator = ''], machine) => {
      make(machine, (items as List).length * (separator as string).length)
      for (const item of items as readonly string[]) make(machine, item.length)
      return (items as readonly string[]).join(separator as string)
    },
  },
]

function size(machine: Machine, value: JsonValue): number {
  if (typeof value === 'string') {
    scan(machine, value.length)
    return countCharacters(value)
  }
  if (Array.isArray(value)) return value.length
  const { length } = Object.keys(value as object)
  work(machine, length * stepsForAField)
  return length
}

function itemAt(machine: Machine, items: List, index: number): JsonValue {
  const item = items[index]
  return item === undefined ? fail(machine, machine.at, 'the list is empty') : item
}

function slice(machine: Machine, items: List, from: number, to: JsonValue | undefined): List {
  const end = to === undefined ? items.length : (to as number)
  for (const position of [from, end]) {
    if (Number.isInteger(position) && position >= 0) continue
    return fail(machine, machine.at, 'a position must be a whole number from 0')
  }
  make(machine, Math.max(0, Math.min(end, items.length) - from) * itemSize)
  return items.slice(from, end)
}

/** Compares scalars as they are, lists and maps by a text that is the same for equal ones. */
function distinct(machine: Machine, items: List): List {
  work(machine, items.length * stepsForAField)
  make(machine, items.length * itemSize)
  const seen = new Set<JsonValue>()
  return items.filter((item) => {
    const isPart = typeof item === 'object' && item !== null
    if (isPart) measure(machine, item)
    const key = isPart ? `\0${canonicalText(machine, item)}` : item
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

function canonicalText(machine: Machine, value: JsonValue): string {
  work(machine, stepsToWriteAPart)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${(value as List).map((item) => canonicalText(machine, item)).join()}]`
  const fields = value as JsonObject
  const names = Object.keys(fields).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalText(machine, fields[name] as JsonValue)}`).join()}}`
}

function reverse(machine: Machine, value: string | List): JsonValue {
  make(machine, typeof value === 'string' ? value.length : value.length * itemSize)
  if (typeof value !== 'string') return value.toReversed()
  // Each character becomes a text of its own.
  work(machine, value.length)
  return [...value].reverse().join('')
}

function rangeProblem(value: JsonValue): string | undefined {
  return Number.isInteger(value) ? undefined : 'a range goes from one whole number to another'
}

function range(machine: Machine, from: number, to: number): List {
  const problem = rangeProblem(from) ?? rangeProblem(to)
  if (problem !== undefined) return fail(machine, machine.at, problem)
  const length = Math.max(0, to - from)
  if (length > maxRange) return fail(machine, machine.at, `a range has at most ${maxRange} numbers`)
  work(machine, length)
  make(machine, length * itemSize)
  return Array.from({ length }, (_, index) => from + index)
}

function sort(machine: Machine, items: List): List {
  return sortByKeys(machine, items, items, 'sort needs a list of texts or a list of numbers')
}

/** The items in the rising order of their keys, which are all texts or all numbers. Items of one key keep their order. */
export function sortByKeys(machine: Machine, items: List, keys: List, needs: string): List {
  make(machine, items.length * itemSize)
  const isText = keys.every((key) => typeof key === 'string')
  if (!isText && !keys.every((key) => typeof key === 'number')) return fail(machine, machine.at, needs)
  const order = keys.map((_, index) => index)
  order.sort((one, other) => {
    work(machine, stepsForAField)
    const [left, right] = [keys[one], keys[other]]
    return isText
      ? compareTexts(machine, left as string, right as string)
      : (left as number) - (right as number)
  })
  return order.map((index) => items[index] as JsonValue)
}
