import type { ASTNode } from '@marcbachmann/cel-js'
import {
  type BinaryOperator,
  type ExpressionTree,
  expressionFunctions,
  functionOf,
  givesNull,
  type Macro,
  type SourceSpan,
} from '../../core/expressions/index.ts'
import { isBeyondNumbers } from '../../core/json.ts'
import { suggest } from '../../core/text/index.ts'
import { otherWord } from './other-words.ts'
import { maxLevels, refuse } from './problem.ts'
import { quotedAt } from './segments.ts'

/** Converts a node of the parser's tree to one of ours. */
export type Convert = (node: ASTNode) => ExpressionTree

const binaryOperators: readonly string[] = [
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '+',
  '-',
  '*',
  '/',
  '%',
  'in',
] satisfies BinaryOperator[]

/** The tree of a parsed expression as plain JSON. Refuses what expressions do not have. */
export function convertTree(root: ASTNode, source: string): ExpressionTree {
  const widen = createWiden(source)
  let depth = 0
  const convert: Convert = (node) => {
    const span = widen([node.start, node.end])
    if (depth >= maxLevels)
      return refuse('EXPRESSION_SYNTAX', `an expression has at most ${maxLevels} levels`, span, 'split it')
    depth++
    const tree = convertNode(node, span, source, convert)
    depth--
    return tree
  }
  return convert(root)
}

function convertNode(node: ASTNode, span: SourceSpan, source: string, convert: Convert): ExpressionTree {
  switch (node.op) {
    case 'value':
      return { kind: 'value', value: literal(node.args, span, source), span }
    case 'id':
      return { kind: 'name', name: node.args, span }
    case '.':
      return { kind: 'member', of: convert(node.args[0]), name: node.args[1], span }
    case '[]':
      return { kind: 'index', of: convert(node.args[0]), index: convert(node.args[1]), span }
    case 'list':
      return { kind: 'list', items: node.args.map(convert), span }
    case 'map':
      return { kind: 'map', entries: node.args.map(([key, value]) => [convert(key), convert(value)]), span }
    case '!_':
      return { kind: 'not', of: convert(node.args), span }
    case '-_':
      return { kind: 'negate', of: convert(node.args), span }
    case '&&':
      return { kind: 'and', left: convert(node.args[0]), right: convert(node.args[1]), span }
    case '||':
      return { kind: 'or', left: convert(node.args[0]), right: convert(node.args[1]), span }
    case '?:': {
      const [condition, whenTrue, whenFalse] = node.args
      return {
        kind: 'conditional',
        condition: convert(condition),
        whenTrue: convert(whenTrue),
        whenFalse: convert(whenFalse),
        span,
      }
    }
    case 'call':
      return convertCall({ name: node.args[0], args: node.args[1], span }, convert)
    case 'rcall':
      return convertCall({ name: node.args[0], receiver: node.args[1], args: node.args[2], span }, convert)
    default:
      return binary(node, span, convert)
  }
}

function binary(node: ASTNode, span: SourceSpan, convert: Convert): ExpressionTree {
  if (!binaryOperators.includes(node.op))
    return refuse('UNSUPPORTED_EXPRESSION', `"${node.op}" is not part of expressions`, span)
  const [left, right] = node.args as [ASTNode, ASTNode]
  const operator = node.op as BinaryOperator
  return { kind: 'binary', operator, left: convert(left), right: convert(right), span }
}

function literal(value: unknown, span: SourceSpan, source: string): string | number | boolean | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  const text = source.slice(...span)
  if (typeof value !== 'bigint' && typeof value !== 'number') {
    const what = value instanceof Uint8Array ? 'bytes' : 'unsigned numbers'
    const hint = value instanceof Uint8Array ? 'leave the b out' : `write ${text.replace(/u$/i, '')}`
    return refuse('UNSUPPORTED_EXPRESSION', `JSON has no ${what}`, span, hint)
  }
  // A whole number can be written in base 16.
  if (!isBeyondNumbers(typeof value === 'number' ? text : String(value))) return Number(value)
  return refuse(
    'INTEGER_TOO_LARGE',
    `${text} is beyond 2^53 - 1 and cannot be held exactly`,
    span,
    `quote it: '${text}'`,
  )
}

/**
 * Widens the spans of an expression's nodes to whole brackets: the parser forgets the round ones, so that
 * `(a + b) * c` would begin at `a`.
 */
function createWiden(source: string): (span: SourceSpan) => SourceSpan {
  const pairs = pairsOf(source)
  if (pairs.length === 0) return (span) => span
  return ([start, end]) => {
    let [from, to] = [start, end]
    for (const [open, close] of pairs) {
      if (open < from && close >= from && close < to) from = open
      if (open >= from && open < to && close >= to) to = close + 1
    }
    return [from, to]
  }
}

/** The round brackets of a source, the inner ones first. */
function pairsOf(source: string): readonly SourceSpan[] {
  const open: number[] = []
  const pairs: SourceSpan[] = []
  let at = 0
  while (at < source.length) {
    const quoted = quotedAt(source, at)
    if (quoted) {
      at = quoted.end
      continue
    }
    if (source[at] === '(') open.push(at)
    const start = source[at] === ')' ? open.pop() : undefined
    if (start !== undefined) pairs.push([start, at])
    at++
  }
  return pairs
}

/** `name(…)`, or `receiver.name(…)`. */
export interface ParsedCall {
  readonly name: string
  readonly receiver?: ASTNode
  readonly args: readonly ASTNode[]
  readonly span: SourceSpan
}

const macroExamples: Readonly<Record<Macro, string>> = {
  all: "x.name == 'a'",
  exists: "x.name == 'a'",
  exists_one: "x.name == 'a'",
  filter: "x.name == 'a'",
  map: 'x.name',
  sortBy: 'x.name',
  groupBy: 'x.name',
  toMap: 'x.name, x.value',
}
const macros: readonly string[] = Object.keys(macroExamples)

/** Converts a call: of a macro, of `has` or `default`, or of a function of the table. */
function convertCall(call: ParsedCall, convert: Convert): ExpressionTree {
  const { name, receiver, args, span } = call
  if (macros.includes(name)) return convertMacro(call, convert)
  if (name === 'has' || name === 'default') return convertGuard(name, call, convert)
  const called = functionOf(name)
  if (!called) return refuseUnknown(call)
  const values = receiver ? [receiver, ...args] : args
  const most = called.parameters.length
  const least = most - (called.optional ?? 0)
  if (values.length < least || values.length > most) {
    refuseNamespace(call)
    const count = least === most ? String(least) : `${least} to ${most}`
    const message = `${name} takes ${count} ${count === '1' ? 'argument' : 'arguments'}, not ${values.length}`
    return refuse('EXPRESSION_SYNTAX', message, span, `such as ${called.example}`)
  }
  return { kind: 'call', function: name, arguments: values.map(convert), span }
}

/** `regex.extract(…)` and its like: a dot calls a function on a value here. */
function refuseNamespace({ name, receiver, span }: ParsedCall): void {
  const other = receiver?.op === 'id' ? otherWord(`${receiver.args}.${name}`) : undefined
  if (other) refuse(other.code, other.message, span, other.hint)
}

function refuseUnknown(call: ParsedCall): never {
  const { name, span } = call
  refuseNamespace(call)
  const other = otherWord(name)
  if (other) return refuse(other.code, other.message, span, other.hint)
  const callable = [...expressionFunctions.map((entry) => entry.name), ...macros, 'has', 'default']
  return refuse('UNKNOWN_FUNCTION', `there is no function "${name}"`, span, suggest(name, callable))
}

/** `list.map(x, condition, value)` is `list.filter(x, condition).map(x, value)`. */
function convertMacro({ name, receiver, args, span }: ParsedCall, convert: Convert): ExpressionTree {
  const macro = name as Macro
  const [variable, ...bodies] = args
  const [first, second] = bodies
  const counts = macro === 'toMap' ? [2] : macro === 'map' ? [1, 2] : [1]
  const isComplete = counts.includes(bodies.length)
  if (receiver === undefined || variable?.op !== 'id' || !isComplete || !first) {
    const names = args.slice(0, -1).every(({ op }) => op === 'id') && args.length > 2 ? 'one name' : 'a name'
    const parts = macro === 'toMap' ? 'two expressions' : 'an expression'
    const message = `${name} is called on a list and takes ${macro === 'toMap' ? 'a name' : names} and ${parts}`
    return refuse('EXPRESSION_SYNTAX', message, span, `such as list.${name}(x, ${macroExamples[macro]})`)
  }
  const node = { kind: 'macro', variable: variable.args, span } as const
  const of = convert(receiver)
  const body = convert(first)
  if (second === undefined) return { ...node, macro, of, body }
  const value = convert(second)
  return macro === 'toMap'
    ? { ...node, macro, of, body, value }
    : { ...node, macro, of: { ...node, macro: 'filter', of, body }, body: value }
}

function convertGuard(
  name: 'has' | 'default',
  { receiver, args, span }: ParsedCall,
  convert: Convert,
): ExpressionTree {
  const [first, second] = args
  const isPath = receiver === undefined && (first?.op === '.' || first?.op === '[]')
  if (first && isPath && name === 'has' && args.length === 1) return { kind: 'has', of: convert(first), span }
  if (first && second && isPath && name === 'default' && args.length === 2)
    return { kind: 'default', of: convert(first), otherwise: convert(second), span }
  const of =
    first && second && receiver === undefined && args.length === 2 && name === 'default' && convert(first)
  // What a function gives is there, and can only be null.
  if (of && second && of.kind === 'call') {
    if (givesNull(of)) return { kind: 'default', of, otherwise: convert(second), span }
    return refuse(
      'EXPRESSION_SYNTAX',
      `default is not needed here: ${of.function} always gives a value`,
      of.span,
    )
  }
  const takes =
    name === 'has'
      ? 'a path with at least two parts'
      : 'a path with at least two parts, or a function that can give null, and a value'
  const example = name === 'has' ? 'has(inputs.session_id)' : 'default(inputs.limit, 10)'
  return refuse('EXPRESSION_SYNTAX', `${name} takes ${takes}`, span, `such as ${example}`)
}
