/** The functions an expression can call: one record each, for checking, evaluating and the reference. */
import type { JsonValue } from '../json.ts'
import { isJsonObject } from '../json.ts'

/** What a function needs to report that an argument does not fit. */
export type Refuse = (message: string) => never

/** One function. Called as `name(a, b)` or, the same, `a.name(b)`. */
export interface ExpressionFunction {
  readonly name: string
  /** How many arguments it takes, the one before the dot included. */
  readonly arity: readonly [least: number, most: number]
  readonly summary: string
  readonly example: string
  readonly evaluate: (values: readonly JsonValue[], refuse: Refuse) => JsonValue
}

export const expressionFunctions: readonly ExpressionFunction[] = [
  {
    name: 'size',
    arity: [1, 1],
    summary: 'Number of items of a list or map, or of characters of a text.',
    example: "size('web-01') == 6",
    evaluate: ([value], refuse) => {
      if (typeof value === 'string') return [...value].length
      if (Array.isArray(value)) return value.length
      if (isJsonObject(value)) return Object.keys(value).length
      return refuse('size needs a text, a list or a map')
    },
  },
  textTest('startsWith', 'Whether a text begins with another.', "'os.top'.startsWith('os.')", (text, part) =>
    text.startsWith(part),
  ),
  textTest('endsWith', 'Whether a text ends with another.', "'a.ndjson'.endsWith('.ndjson')", (text, part) =>
    text.endsWith(part),
  ),
  textTest('contains', 'Whether a text holds another.', "'web-01'.contains('web')", (text, part) =>
    text.includes(part),
  ),
  {
    name: 'join',
    arity: [1, 2],
    summary: 'The texts of a list as one text, with a separator between them.',
    example: "['a', 'b'].join(', ') == 'a, b'",
    evaluate: ([list, separator = ''], refuse) => {
      if (!Array.isArray(list) || !list.every((item) => typeof item === 'string')) {
        return refuse('join needs a list of texts')
      }
      return list.join(typeof separator === 'string' ? separator : refuse('join needs a text as separator'))
    },
  },
  {
    name: 'string',
    arity: [1, 1],
    summary: 'A text, number or boolean as text.',
    example: "string(42) == '42'",
    evaluate: ([value], refuse) =>
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? String(value)
        : refuse('string needs a text, number or boolean; use json for the rest'),
  },
  {
    name: 'json',
    arity: [1, 1],
    summary: 'Any value as JSON text.',
    example: "json({'a': 1}) == '{\"a\":1}'",
    evaluate: ([value]) => JSON.stringify(value ?? null),
  },
]

function textTest(
  name: string,
  summary: string,
  example: string,
  test: (text: string, part: string) => boolean,
): ExpressionFunction {
  return {
    name,
    arity: [2, 2],
    summary,
    example,
    evaluate: ([text, part], refuse) =>
      typeof text === 'string' && typeof part === 'string'
        ? test(text, part)
        : refuse(`${name} needs two texts`),
  }
}
