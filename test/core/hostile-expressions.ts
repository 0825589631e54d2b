/** Expressions that would run for minutes or fill the memory, and values to run them on. */
import type { JsonObject, JsonValue } from '../../src/core/json.ts'

const list = Array.from({ length: 10_000 }, (_, index) => index)
const text = 'a'.repeat(500_000)
const nested = (depth: number, wrap: (inner: JsonValue) => JsonValue): JsonValue =>
  Array.from({ length: depth }).reduce<JsonValue>(wrap, 1)
const doubled = (times: number): string => `[1]${'.map(a, [a, a])'.repeat(times)}`

export const hostileScope: JsonObject = {
  list,
  text,
  objects: list.map((value) => ({ name: `tool.${value}`, value, deep: { a: { b: value } } })),
  words: list.map((value) => `w${(value * 7919) % 10_007}`),
  alike: list.map((value) => 'x'.repeat(400) + String(value)),
  wide: Object.fromEntries(list.map((value) => [`k${value}`, value])),
  alternating: 'ab'.repeat(250_000),
  needle: `${'a'.repeat(5000)}b${'a'.repeat(5000)}`,
  deepList: nested(5000, (inner) => [inner]),
  deepMap: nested(5000, (inner) => ({ a: inner })),
}

/** Each ends as `ExpressionTooCostly`. */
export const hostileExpressions: readonly string[] = [
  'list.all(a, list.all(b, a != b || a == b))',
  'list.map(a, list.map(b, a * b))',
  'objects.all(a, objects.all(b, a.deep.a.b == b.deep.a.b || a.name != b.name))',
  'objects.filter(a, objects.exists(b, a == b))',
  'objects.filter(a, a in objects)',
  'list.all(a, [wide] == [wide.map(k, k)] || wide == {} || size(wide) > 0)',
  'list.all(a, wide.all(k, true))',
  'list.map(a, list + list)',
  'list.map(a, list)',
  'list.map(a, list).flatten()',
  'list.map(a, list.sum())',
  'list.map(a, words.sort())',
  'list.map(a, alike.sort())',
  'list.map(a, objects.distinct())',
  'list.map(a, text)',
  'list.map(a, text + text)',
  'list.map(a, text.upper())',
  'list.map(a, text.trim())',
  'list.map(a, text.substring(1))',
  "list.map(a, text.split('b'))",
  "text.split('')",
  "text.split('a')",
  "text.replace('a', text)",
  "text.replace('', 'a')",
  "list.map(a, text).join('')",
  "list.map(a, 'x').join(text)",
  "list.exists(a, text.contains('b'))",
  'list.exists(a, text.contains(needle))',
  'list.exists(a, text.indexOf(needle) > 0)',
  'list.exists(a, size(text) == 0)',
  "list.all(a, text + 'a' < text + 'b')",
  "list.all(a, (text + 'a') != (text + 'b'))",
  'list.map(a, {text + string(a): 1})',
  'list.map(a, json(objects))',
  "list.exists(a, text.matches('(a+a+)+b'))",
  "alternating.matches('(?:a?){50}a{50}b')",
  "list.map(a, 'x'.matches('(' + string(a) + '|[a-z]+){1,20}$'))",
  "list.map(a, 'x'.matches('\\\\pL' + string(a)))",
  doubled(60),
  `json(${doubled(60)})`,
  `${doubled(30)} == ${doubled(30)}`,
  `[${doubled(40)}, ${doubled(40)}].distinct()`,
  `['aaaaaaaaaaaaaaaa']${'.map(a, a + a)'.repeat(40)}`,
  '[deepList]',
  'json(deepMap)',
  '[deepList, deepList].distinct()',
  '[deepMap] == [deepMap].map(a, a) + [1] || [[deepMap]] == [[deepMap].map(a, {}), 1] || [json(deepMap)] == []',
]
