import type { ASTNode } from '@marcbachmann/cel-js'
import type { BinaryOperator, ExpressionTree, Span } from '../../core/expressions/tree.ts'
import { createWiden } from './brackets.ts'
import { convertCall } from './convert-call.ts'
import { maxLevels } from './limits.ts'
import { refuse } from './problem.ts'

/** Turns a node of the parser's tree into one of ours. */
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
    if (depth >= maxLevels) {
      return refuse('EXPRESSION_SYNTAX', `an expression has at most ${maxLevels} levels`, span, 'split it')
    }
    depth++
    const tree = convertNode(node, span, source, convert)
    depth--
    return tree
  }
  return convert(root)
}

function convertNode(node: ASTNode, span: Span, source: string, convert: Convert): ExpressionTree {
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

function binary(node: ASTNode, span: Span, convert: Convert): ExpressionTree {
  if (!binaryOperators.includes(node.op)) {
    return refuse('UNSUPPORTED_EXPRESSION', `"${node.op}" is not part of expressions`, span)
  }
  const [left, right] = node.args as [ASTNode, ASTNode]
  const operator = node.op as BinaryOperator
  return { kind: 'binary', operator, left: convert(left), right: convert(right), span }
}

function literal(value: unknown, span: Span, source: string): string | number | boolean | null {
  if (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean'
  ) {
    return value
  }
  const text = source.slice(...span)
  if (typeof value !== 'bigint') {
    const what = value instanceof Uint8Array ? 'bytes' : 'unsigned numbers'
    const hint = value instanceof Uint8Array ? 'leave the b out' : `write ${text.replace(/u$/i, '')}`
    return refuse('UNSUPPORTED_EXPRESSION', `JSON has no ${what}`, span, hint)
  }
  const isSafe = value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
  if (isSafe) return Number(value)
  return refuse(
    'INTEGER_TOO_LARGE',
    `${text} is beyond 2^53 and cannot be held exactly`,
    span,
    `quote it: '${text}'`,
  )
}
