import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'
import { checkExpression } from '../../src/core/expressions/check.ts'
import { evaluate } from '../../src/core/expressions/evaluate.ts'
import { readPattern } from '../../src/core/expressions/pattern.ts'
import { typeOfSchema } from '../../src/core/expressions/schema-type.ts'
import type { Expression } from '../../src/core/expressions/tree.ts'
import type { JsonObject, JsonValue } from '../../src/core/json.ts'
import { parseExpression } from '../../src/load/expressions/parse-expression.ts'
import { hostileExpressions, hostileScope, repeatedExamples } from './hostile-expressions.ts'

function expressionOf(source: string): Expression {
  const parsed = parseExpression(source)
  if ('problem' in parsed) throw new Error(parsed.problem.message)
  return { source, tree: parsed.tree }
}

function run(source: string, scope: JsonObject = hostileScope): JsonValue {
  return evaluate(expressionOf(source), scope)
}

const tooCostly = expect.objectContaining({ code: 'ExpressionTooCostly' })

describe('a hostile expression ends', () => {
  it.each(hostileExpressions)('%s', (source) => {
    expect(() => run(source)).toThrow(tooCostly)
  })

  // Fifteen long comparisons take no time, and leave few of the steps.
  const almostAllSteps = 'text == twin && '.repeat(15)
  it.each(repeatedExamples)('%s', (source) => {
    expect(run(`${almostAllSteps}true`)).toBe(true)
    expect(() => run(almostAllSteps + source)).toThrow(tooCostly)
  })
})

describe('what people write is far from the bounds', () => {
  it.each([
    [
      "objects.filter(o, o.name.startsWith('tool.1') && o.value > 10).map(o, {'tool': o.name, 'params': {}})",
      1109,
    ],
    ["words.filter(w, w.matches('^w[0-9]+5$'))", 1000],
    ['words.sort()', 10_000],
    ["words.map(w, w + ' with a name of some forty characters').sort()", 10_000],
    ['objects.map(o, o.name).distinct()', 10_000],
    ["objects.map(o, '- ' + o.name + ': ' + string(o.value)).join('\\n').split('\\n')", 10_000],
    ['list.filter(a, a in list.slice(0, 20))', 20],
    [
      "objects.filter(o, o.name.startsWith('tool.') && o.name.contains('1') && o.name.upper().endsWith('1'))",
      1000,
    ],
    ["objects.map(o, o.name.replace('.', '-').lower() + ': ' + formatNumber(o.value, 1))", 10_000],
    ["list.filter(a, secondsBetween('2026-01-31T08:00:00Z', timeOfUnix(1769846400 + a)) < 100)", 100],
    ["list.filter(a, hourOf('2026-07-01T08:05:00Z', 'Europe/Berlin') == 10)", 10_000],
    ['words.map(w, sha256(w))', 10_000],
    ["words.map(w, 'https://example.com/' + urlEncode(w) + '?id=' + base64(w))", 10_000],
    ["list.map(a, fromJson('{\"a\": ' + string(a) + '}').a)", 10_000],
    ['[formEncode(wide)]', 1],
  ])('%s', (source, length) => expect(run(source)).toHaveLength(length))
})

describe('the bounds themselves', () => {
  const turns = (count: number) => Array.from({ length: count }, (_, index) => index)

  it('count one step for each node, at each turn of a macro', () => {
    // Two nodes stand outside of the body, three in it.
    const fits = Math.floor((1_000_000 - 2) / 3)
    expect(run('list.all(a, a >= 0)', { list: turns(fits) })).toBe(true)
    expect(() => run('list.all(a, a >= 0)', { list: turns(fits + 1) })).toThrow(tooCostly)
  })

  // Four nodes, the call, and what is converted.
  it.each([
    ['abs(a) >= 0', 4 + 4],
    ["base64('ab') != ''", 4 + 4 + 15 + 1],
    ["timeOfUnix(0) != ''", 4 + 4 + 15],
  ])('count each call: %s', (condition, steps) => {
    const fits = Math.floor((1_000_000 - 2) / steps)
    expect(run(`list.all(a, ${condition})`, { list: turns(fits) })).toBe(true)
    expect(() => run(`list.all(a, ${condition})`, { list: turns(fits + 1) })).toThrow(tooCostly)
  })

  it('count the characters that are made', () => {
    const text = 'a'.repeat(2_500_000)
    expect(run('size(a + b)', { a: 'a'.repeat(1_000_000), b: 'b' })).toBe(1_000_001)
    expect(run('(a + b) == a', { a: text, b: text })).toBe(false)
    expect(() => run("(a + b) == a || a + 'x' == b", { a: text, b: `${text}b` })).toThrow(tooCostly)
  })

  it('count the same the second time, when patterns are known already', () => {
    const expression = expressionOf("list.all(a, text.matches('^[a-z]+$'))")
    const texts = { list: turns(10), text: 'a'.repeat(30_000) }
    const outcomes = [texts, texts, { ...texts, list: turns(30) }, texts].map((scope) => {
      try {
        return evaluate(expression, scope)
      } catch (error) {
        return (error as { code: string }).code
      }
    })
    expect(outcomes).toEqual([true, true, 'ExpressionTooCostly', true])
  })

  it('go down a thousand levels', () => {
    const nested = (depth: number) => Array.from({ length: depth }).reduce<JsonValue>((inner) => [inner], 1)
    expect(run('[a] == [b]', { a: nested(900), b: nested(900) })).toBe(true)
    expect(() => run('[a] == [b]', { a: nested(5000), b: nested(5000) })).toThrow(tooCostly)
    expect(run('a', { a: nested(5000) })).toHaveLength(1)
  })
})

describe('the size of a pattern', () => {
  let reusable = 7
  const random = (below: number): number => {
    reusable = (reusable * 1_103_515_245 + 12_345) & 0x7fffffff
    return (reusable >> 8) % below
  }
  const pick = (...parts: readonly string[]): string => parts[random(parts.length)] as string
  const atom = (depth: number): string => {
    const leaf = pick('a', '.', '[a-z]', '\\d', '\\pL', '[^x\\pN]', '[[:alpha:](]', '\\Qa(b\\E', '\\(', '[)]')
    return depth > 3 || random(3) > 0 ? leaf : `${pick('(', '(?:', '(?i:', '(?P<n>')}${write(depth + 1)})`
  }
  const repeat = (): string => pick('', '', '', '*', '+', '?', '{2}', '{3,}', '{0,5}', '{2,9}', '*?')
  function write(depth = 0): string {
    const parts = Array.from({ length: 1 + random(5) }, () => atom(depth) + repeat())
    return parts.join(pick('', '', '|'))
  }

  it('is never less than what is built of it', () => {
    let read = 0
    for (let count = 0; count < 3000; count++) {
      const text = write()
      const pattern = readPattern(text)
      if ('problem' in pattern) continue
      read++
      expect(pattern.states, text).toBeGreaterThanOrEqual(RE2JS.compile(text).programSize())
    }
    expect(read).toBeGreaterThan(1000)
  })

  it.each(['(a{1000}){2}', '((a{40}){40})', '(a?){600}', 'x{1000}'.repeat(2), `(${'a'.repeat(200)}){10}`])(
    'is too large: %s',
    (text) => expect(readPattern(text)).toEqual({ problem: 'the pattern is too large' }),
  )
})

describe('checking ends, too', () => {
  const types = { a: typeOfSchema({ type: 'object', properties: { b: {} } }), c: {} }
  const wrapped = (times: number, write: (inner: string) => string): string =>
    Array.from({ length: times }).reduce<string>((inner) => write(inner), '0')
  it.each([
    ['subtractions in positions', wrapped(60, (inner) => `c[${inner}].b-1`)],
    ['lists in lists of "in"', wrapped(100, (inner) => `1 in [${inner}]`)],
    ['a type that stands twice at each level', `${'[1]'}${".map(x,{'a':x,'b':x})".repeat(40)}`],
    ['the sum of two such', [1, 2].map(() => `[1]${".map(x,{'a':x,'b':x})".repeat(40)}`).join(' + ')],
    ['guards on guards', `has(a.b)${' && has(a.b)'.repeat(100)}`],
    ['alternatives on guards', `(has(a.b)${' || has(a.b)'.repeat(100)}) && a.b`],
  ])('%s', (_, source) => {
    const { tree } = expressionOf(source)
    expect(checkExpression(tree, { types, guarded: new Set() }).type).toBeDefined()
  })
})
