import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { childrenOf } from '../../../src/core/expressions/references.ts'
import type { ExpressionTree } from '../../../src/core/expressions/tree.ts'
import { grammarWords } from '../../../src/load/expressions/other-words.ts'
import { parseExpression } from '../../../src/load/expressions/parse-expression.ts'

interface Case {
  readonly source: string
  /** `CODE column part`. */
  readonly finding: string
  readonly says?: string
  readonly hint?: string
}

const file = new URL('../../cases/expressions/parse.yaml', import.meta.url)
const { groups } = parse(readFileSync(file, 'utf8')) as {
  groups: readonly { readonly name: string; readonly cases: readonly Case[] }[]
}

function treeOf(source: string): ExpressionTree {
  const parsed = parseExpression(source)
  if ('problem' in parsed) throw new Error(parsed.problem.message)
  return parsed.tree
}

/** The parts of a source that the nodes of its tree stand for, a node before what it is made of. */
function partsOf(source: string, tree: ExpressionTree = treeOf(source)): readonly string[] {
  return [source.slice(...tree.span), ...childrenOf(tree).flatMap((child) => partsOf(source, child))]
}

describe.each(groups)('$name', ({ cases }) => {
  it.each(cases)('$source', ({ source, finding, says, hint }) => {
    const parsed = parseExpression(source)
    if ('tree' in parsed) throw new Error('it can be read')
    const { code, span, message, hint: given } = parsed.problem
    expect(`${code} ${span[0] + 1} ${source.slice(...span)}`).toBe(finding)
    if (says !== undefined) expect(message).toContain(says)
    if (hint !== undefined) expect(given).toContain(hint)
  })
})

describe('where a node stands', () => {
  it.each([
    ['a.b', ['a.b', 'a']],
    [" a['b'] ", ["a['b']", 'a', "'b'"]],
    ['(a + b) * c', ['(a + b) * c', 'a + b', 'a', 'b', 'c']],
    ['c * ((a) + b)', ['c * ((a) + b)', 'c', '(a) + b', 'a', 'b']],
    ['((a)).size()', ['((a)).size()', 'a']],
    ["'(' + (a) + ')'", ["'(' + (a) + ')'", "'(' + (a)", "'('", 'a', "')'"]],
    ['!(a)', ['!(a)', 'a']],
    ["'😀' + b", ["'😀' + b", "'😀'", 'b']],
    ['f.map(x, (x) + 1)', ['f.map(x, (x) + 1)', 'f', '(x) + 1', 'x', '1']],
    ['a // (\n + (b)', ['a // (\n + (b)', 'a', 'b']],
  ])('%s', (source, parts) => expect(partsOf(source)).toEqual(parts))
})

describe('limits', () => {
  const problemOf = (source: string) => {
    const parsed = parseExpression(source)
    return 'problem' in parsed ? parsed.problem : undefined
  }

  it('takes 2,000 characters and no more, however they are written in UTF-16', () => {
    expect(problemOf(`'${'a'.repeat(1998)}'`)).toBeUndefined()
    expect(problemOf(`'${'😀'.repeat(1998)}'`)).toBeUndefined()
    expect(problemOf(`'${'a'.repeat(1999)}'`)).toMatchObject({ code: 'EXPRESSION_SYNTAX', span: [0, 2001] })
  })

  const nested: Readonly<Record<string, (depth: number) => string>> = {
    brackets: (depth) => `${'('.repeat(depth)}a${')'.repeat(depth)}`,
    lists: (depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`,
    maps: (depth) => `${"{'a':".repeat(depth)}1${'}'.repeat(depth)}`,
    negations: (depth) => `${'!'.repeat(depth)}a`,
    signs: (depth) => `${'-'.repeat(depth)}a`,
    fields: (depth) => `a${'.b'.repeat(depth)}`,
    positions: (depth) => `a${'[0]'.repeat(depth)}`,
    sums: (depth) => `a${'+a'.repeat(depth)}`,
    conditions: (depth) => `${'a?b:'.repeat(depth)}c`,
    alternatives: (depth) => `a${'||a'.repeat(depth)}`,
    calls: (depth) => `${'size('.repeat(depth)}a${')'.repeat(depth)}`,
    macros: (depth) => `a${'.map(x,x)'.repeat(depth)}`,
    'macros in macros': (depth) => `${'a.map(x,'.repeat(depth)}x${')'.repeat(depth)}`,
    guards: (depth) => `${'default(a.b,'.repeat(depth)}c${')'.repeat(depth)}`,
  }
  it.each(Object.entries(nested))(
    'refuses %s that are nested too deeply, and takes 100 levels',
    (_, write) => {
      for (const depth of [300, 1000, 10_000]) {
        const problem = problemOf(write(depth))
        expect(problem).toMatchObject({ code: 'EXPRESSION_SYNTAX' })
        expect(problem?.message).toMatch(/at most 250 levels|at most 2000 characters/)
      }
      if (write(100).length <= 2000) expect(problemOf(write(100))).toBeUndefined()
    },
  )
})

describe('words of the grammar', () => {
  it.each([...grammarWords])('%s is no name, and no field after a dot where it is a value', (word) => {
    const parsed = parseExpression(word)
    expect('problem' in parsed || parsed.tree.kind === 'value').toBe(true)
    const isValue = ['true', 'false', 'null', 'in'].includes(word)
    expect('problem' in parseExpression(`a.${word}`)).toBe(isValue)
    expect(treeOf(`a['${word}']`)).toMatchObject({ kind: 'index' })
  })
})

it('gives trees that are plain JSON', () => {
  const tree = treeOf(
    "default(a.b[0], {'c': [1, -2.5, null, true]}).map(x, x in c ? !x : x && y || z).join('a')",
  )
  expect(JSON.parse(JSON.stringify(tree))).toStrictEqual(tree)
})

it('reads a map with a condition as a filter and a map', () => {
  expect(treeOf('list.map(x, x > 1, x * 2)')).toMatchObject({
    kind: 'macro',
    macro: 'map',
    of: { kind: 'macro', macro: 'filter', variable: 'x' },
  })
})
