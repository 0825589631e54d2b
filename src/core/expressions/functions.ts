/** The functions an expression can call: one record each, for checking, evaluating and the reference. */
import { RE2JS } from 're2js'
import type { JsonValue } from '../json.ts'
import { type Kind, listOf, numberType, textType, truth, type ValueType } from './value-type.ts'

/** Ends the evaluation: an argument does not fit. */
export type Refuse = (message: string) => never

export interface Parameter {
  readonly name: string
  readonly kinds: readonly Kind[]
}

/** One function. Called as `name(a, b)` or, the same, `a.name(b)`. */
export interface ExpressionFunction {
  readonly name: string
  readonly group: 'text' | 'lists' | 'numbers' | 'conversion'
  readonly parameters: readonly Parameter[]
  /** The last parameters that may be left out. */
  readonly optional?: number
  readonly result: ValueType
  readonly summary: string
  /** An expression that is true. */
  readonly example: string
  /** The values have the kinds of the parameters. */
  readonly evaluate: (values: readonly JsonValue[], refuse: Refuse) => JsonValue
}

type Text = (text: string, ...more: readonly string[]) => JsonValue
type List = (list: readonly JsonValue[]) => JsonValue

const texts: readonly Kind[] = ['text']
const lists: readonly Kind[] = ['list']
const numbers: readonly Kind[] = ['number']
const any: readonly Kind[] = ['null', 'boolean', 'number', 'text', 'list', 'map']
const item: ValueType = {}
const maxPattern = 1000

function textFunction(
  name: string,
  more: readonly string[],
  result: ValueType,
  summary: string,
  example: string,
  evaluate: Text,
): ExpressionFunction {
  const parameters = ['text', ...more].map((parameter) => ({ name: parameter, kinds: texts }))
  return {
    name,
    group: 'text',
    parameters,
    result,
    summary,
    example,
    evaluate: ([first, ...rest]) => evaluate(first as string, ...(rest as string[])),
  }
}

function listFunction(
  name: string,
  result: ValueType,
  summary: string,
  example: string,
  evaluate: List,
): ExpressionFunction {
  return {
    name,
    group: 'lists',
    parameters: [{ name: 'list', kinds: lists }],
    result,
    summary,
    example,
    evaluate: ([list]) => evaluate(list as readonly JsonValue[]),
  }
}

function numberFunction(
  name: string,
  summary: string,
  example: string,
  evaluate: (value: number) => number,
): ExpressionFunction {
  return {
    name,
    group: 'numbers',
    parameters: [{ name: 'number', kinds: numbers }],
    result: numberType,
    summary,
    example,
    evaluate: ([value]) => evaluate(value as number),
  }
}

export const expressionFunctions: readonly ExpressionFunction[] = [
  {
    name: 'size',
    group: 'lists',
    parameters: [{ name: 'value', kinds: ['text', 'list', 'map'] }],
    result: numberType,
    summary: 'Number of characters of a text, items of a list or keys of a map.',
    example: "size('web-01') == 6",
    evaluate: ([value]) =>
      typeof value === 'string'
        ? [...value].length
        : Array.isArray(value)
          ? value.length
          : Object.keys(value as object).length,
  },
  textFunction(
    'startsWith',
    ['part'],
    truth,
    'Whether a text begins with another.',
    "'os.top'.startsWith('os.')",
    (text, part = '') => text.startsWith(part),
  ),
  textFunction(
    'endsWith',
    ['part'],
    truth,
    'Whether a text ends with another.',
    "'a.ndjson'.endsWith('.ndjson')",
    (text, part = '') => text.endsWith(part),
  ),
  textFunction(
    'contains',
    ['part'],
    truth,
    'Whether a text holds another.',
    "'web-01'.contains('-')",
    (text, part = '') => text.includes(part),
  ),
  {
    name: 'matches',
    group: 'text',
    parameters: [
      { name: 'text', kinds: texts },
      { name: 'pattern', kinds: texts },
    ],
    result: truth,
    summary: 'Whether a pattern (RE2 syntax) is found in a text. Takes linear time.',
    example: "'web-01'.matches('^web-[0-9]+$')",
    evaluate: ([text, pattern], refuse) => matches(text as string, pattern as string, refuse),
  },
  textFunction('lower', [], textType, 'The text in lower case.', "'Web'.lower() == 'web'", (text) =>
    text.toLowerCase(),
  ),
  textFunction('upper', [], textType, 'The text in upper case.', "'Web'.upper() == 'WEB'", (text) =>
    text.toUpperCase(),
  ),
  textFunction(
    'trim',
    [],
    textType,
    'The text without white space around it.',
    "' a '.trim() == 'a'",
    (text) => text.trim(),
  ),
  textFunction(
    'replace',
    ['part', 'by'],
    textType,
    'The text with every occurrence of a part replaced.',
    "'a-b-c'.replace('-', '.') == 'a.b.c'",
    (text, part = '', by = '') => text.replaceAll(part, () => by),
  ),
  textFunction(
    'split',
    ['separator'],
    listOf(textType),
    'The parts of a text between separators.',
    "'a,b'.split(',') == ['a', 'b']",
    (text, separator = '') => text.split(separator),
  ),
  {
    name: 'join',
    group: 'lists',
    parameters: [
      { name: 'list', kinds: lists },
      { name: 'separator', kinds: texts },
    ],
    optional: 1,
    result: textType,
    summary: 'The texts of a list as one text, with a separator between them.',
    example: "['a', 'b'].join(', ') == 'a, b'",
    evaluate: ([list, separator = ''], refuse) =>
      (list as readonly JsonValue[]).every((entry) => typeof entry === 'string')
        ? (list as readonly string[]).join(separator as string)
        : refuse('join needs a list of texts'),
  },
  listFunction(
    'first',
    item,
    'The first item of a list; an error for an empty one.',
    '[1, 2].first() == 1',
    (list) => list[0] as JsonValue,
  ),
  listFunction(
    'last',
    item,
    'The last item of a list; an error for an empty one.',
    '[1, 2].last() == 2',
    (list) => list.at(-1) as JsonValue,
  ),
  listFunction(
    'flatten',
    listOf(item),
    'The items of the lists in a list, one level deep.',
    '[[1], [2, 3]].flatten() == [1, 2, 3]',
    (list) => list.flat() as JsonValue[],
  ),
  listFunction(
    'distinct',
    listOf(item),
    'The list without repeated texts, numbers and booleans.',
    "['a', 'b', 'a'].distinct() == ['a', 'b']",
    (list) => [...new Set(list)],
  ),
  {
    name: 'sort',
    group: 'lists',
    parameters: [{ name: 'list', kinds: lists }],
    result: listOf(item),
    summary: 'A list of texts or of numbers in rising order.',
    example: '[3, 1, 2].sort() == [1, 2, 3]',
    evaluate: ([list], refuse) => sorted(list as readonly JsonValue[], refuse),
  },
  {
    name: 'sum',
    group: 'numbers',
    parameters: [{ name: 'list', kinds: lists }],
    result: numberType,
    summary: 'The sum of a list of numbers.',
    example: '[1, 2, 3].sum() == 6',
    evaluate: ([list], refuse) => allNumbers(list, 'sum', refuse).reduce((sum, value) => sum + value, 0),
  },
  {
    name: 'min',
    group: 'numbers',
    parameters: [{ name: 'list', kinds: lists }],
    result: numberType,
    summary: 'The smallest of a list of numbers; an error for an empty one.',
    example: '[2, 1].min() == 1',
    evaluate: ([list], refuse) => extreme(list, 'min', refuse, (a, b) => (a < b ? a : b)),
  },
  {
    name: 'max',
    group: 'numbers',
    parameters: [{ name: 'list', kinds: lists }],
    result: numberType,
    summary: 'The largest of a list of numbers; an error for an empty one.',
    example: '[2, 1].max() == 2',
    evaluate: ([list], refuse) => extreme(list, 'max', refuse, (a, b) => (a > b ? a : b)),
  },
  numberFunction('floor', 'The whole number below.', 'floor(1.7) == 1', Math.floor),
  numberFunction('ceil', 'The whole number above.', 'ceil(1.2) == 2', Math.ceil),
  numberFunction('round', 'The nearest whole number; halves go up.', 'round(1.5) == 2', Math.round),
  numberFunction('abs', 'The number without its sign.', 'abs(-2) == 2', Math.abs),
  {
    name: 'string',
    group: 'conversion',
    parameters: [{ name: 'value', kinds: ['text', 'number', 'boolean'] }],
    result: textType,
    summary: 'A text, number or boolean as text.',
    example: "string(42) == '42'",
    evaluate: ([value]) => String(value),
  },
  {
    name: 'number',
    group: 'conversion',
    parameters: [{ name: 'value', kinds: ['text', 'number'] }],
    result: numberType,
    summary: 'A text as number; an error for a text that is none.',
    example: "number('1.5') == 1.5",
    evaluate: ([value], refuse) => toNumber(value as string | number, refuse),
  },
  {
    name: 'json',
    group: 'conversion',
    parameters: [{ name: 'value', kinds: any }],
    result: textType,
    summary: 'Any value as JSON text.',
    example: "json({'a': 1}) == '{\"a\":1}'",
    evaluate: ([value]) => JSON.stringify(value),
  },
]

function matches(text: string, pattern: string, refuse: Refuse): boolean {
  if (pattern.length > maxPattern) return refuse(`a pattern has at most ${maxPattern} characters`)
  try {
    return RE2JS.compile(pattern).matcher(text).find()
  } catch (error) {
    return refuse(`the pattern cannot be read: ${(error as Error).message}`)
  }
}

function sorted(list: readonly JsonValue[], refuse: Refuse): JsonValue {
  const isUniform =
    list.every((entry) => typeof entry === 'string') || list.every((entry) => typeof entry === 'number')
  if (!isUniform) return refuse('sort needs a list of texts or of numbers')
  return [...(list as readonly (string | number)[])].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

function allNumbers(list: JsonValue | undefined, name: string, refuse: Refuse): readonly number[] {
  const items = list as readonly JsonValue[]
  return items.every((entry) => typeof entry === 'number')
    ? (items as readonly number[])
    : refuse(`${name} needs a list of numbers`)
}

function extreme(
  list: JsonValue | undefined,
  name: string,
  refuse: Refuse,
  better: (a: number, b: number) => number,
): number {
  const items = allNumbers(list, name, refuse)
  return items.length === 0 ? refuse(`${name} needs at least one number`) : items.reduce(better)
}

function toNumber(value: string | number, refuse: Refuse): number {
  const isNumeral = typeof value === 'number' || /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(value)
  const result = isNumeral ? Number(value) : Number.NaN
  return Number.isFinite(result) ? result : refuse(`${JSON.stringify(value)} is not a number`)
}
