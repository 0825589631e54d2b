import { type ASTNode, parse } from '@marcbachmann/cel-js'
import type { DiagnosticCode } from '../core/diagnostic.ts'
import { type ExpressionFunction, expressionFunctions } from '../core/expressions/functions.ts'
import type { BinaryOperator, ExpressionTree, Macro, Span } from '../core/expressions/tree.ts'
import { suggest } from '../core/nearest.ts'

/** Why an expression cannot be part of a plan, and where in it. */
export interface ExpressionProblem {
  readonly code: DiagnosticCode
  readonly message: string
  readonly span: Span
  readonly hint?: string
}

/** A problem on its way out of the conversion. */
class Refusal extends Error {
  readonly problem: ExpressionProblem
  constructor(problem: ExpressionProblem) {
    super(problem.message)
    this.problem = problem
  }
}

const functions = new Map<string, ExpressionFunction>(expressionFunctions.map((entry) => [entry.name, entry]))
const macros: readonly string[] = ['all', 'exists', 'exists_one', 'filter', 'map'] satisfies Macro[]
const callable = [...functions.keys(), ...macros, 'has', 'default']
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
const maxLength = 2000

/** Reads one expression: CEL's syntax over JSON values, as a tree that the core evaluates. */
export function parseExpression(source: string): { tree: ExpressionTree } | { problem: ExpressionProblem } {
  if (source.length > maxLength) {
    return {
      problem: {
        code: 'EXPRESSION_SYNTAX',
        message: `an expression has at most ${maxLength} characters`,
        span: [0, source.length],
      },
    }
  }
  try {
    return { tree: convert(parse(source).ast) }
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.problem }
    return { problem: syntaxProblem(error, source) }
  }
}

function syntaxProblem(error: unknown, source: string): ExpressionProblem {
  const { range, message } = error as { range?: { start: number; end: number }; message: string }
  const [firstLine = ''] = message.split('\n')
  const text =
    source.trim() === ''
      ? 'the expression is empty'
      : firstLine.slice(0, 1).toLowerCase() + firstLine.slice(1)
  return {
    code: 'EXPRESSION_SYNTAX',
    message: text,
    span: range ? [range.start, range.end] : [0, source.length],
  }
}

function convert(node: ASTNode): ExpressionTree {
  const span: Span = [node.start, node.end]
  switch (node.op) {
    case 'value':
      return { kind: 'value', value: literal(node.args, span), span }
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
    case '||':
      return {
        kind: node.op === '&&' ? 'and' : 'or',
        left: convert(node.args[0]),
        right: convert(node.args[1]),
        span,
      }
    case '?:':
      return conditional(node.args, span)
    case 'call':
      return call(node.args[0], undefined, node.args[1], span)
    case 'rcall':
      return call(node.args[0], node.args[1], node.args[2], span)
    case '.?':
    case '[?]':
      return refuse(
        'UNSUPPORTED_EXPRESSION',
        'optionals are not part of expressions',
        span,
        'use has(…) or default(…)',
      )
    default:
      return binary(node as ASTNode & { args: [ASTNode, ASTNode] }, span)
  }
}

function conditional([condition, whenTrue, whenFalse]: readonly ASTNode[], span: Span): ExpressionTree {
  return {
    kind: 'conditional',
    condition: convert(condition as ASTNode),
    whenTrue: convert(whenTrue as ASTNode),
    whenFalse: convert(whenFalse as ASTNode),
    span,
  }
}

function binary(node: ASTNode & { args: [ASTNode, ASTNode] }, span: Span): ExpressionTree {
  if (!binaryOperators.includes(node.op)) {
    return refuse('UNSUPPORTED_EXPRESSION', `"${node.op}" is not part of expressions`, span)
  }
  const [left, right] = node.args
  return {
    kind: 'binary',
    operator: node.op as BinaryOperator,
    left: convert(left),
    right: convert(right),
    span,
  }
}

function literal(value: unknown, span: Span): string | number | boolean | null {
  if (typeof value === 'bigint') {
    const isSafe = value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
    return isSafe
      ? Number(value)
      : refuse('INTEGER_TOO_LARGE', `${value} is beyond 2^53`, span, 'write it as text')
  }
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value
  return refuse('UNSUPPORTED_EXPRESSION', 'JSON has no bytes and no unsigned numbers', span)
}

function call(
  name: string,
  receiver: ASTNode | undefined,
  args: readonly ASTNode[],
  span: Span,
): ExpressionTree {
  if (receiver && macros.includes(name)) return macro(name as Macro, receiver, args, span)
  if (!receiver && (name === 'has' || name === 'default')) return guard(name, args, span)
  const called = functions.get(name)
  if (!called)
    return refuse('UNKNOWN_FUNCTION', `there is no function "${name}"`, span, suggest(name, callable))
  const values = receiver ? [receiver, ...args] : args
  const most = called.parameters.length
  const least = most - (called.optional ?? 0)
  if (values.length < least || values.length > most) {
    const message = `${name} takes ${least === most ? least : `${least} to ${most}`} arguments, not ${values.length}`
    return refuse('EXPRESSION_SYNTAX', message, span, `such as ${called.example}`)
  }
  return { kind: 'call', function: name, arguments: values.map(convert), span }
}

function macro(name: Macro, receiver: ASTNode, args: readonly ASTNode[], span: Span): ExpressionTree {
  const [variable, body] = args
  if (args.length !== 2 || variable?.op !== 'id' || !body) {
    return refuse(
      'EXPRESSION_SYNTAX',
      `${name} takes a name and an expression`,
      span,
      `such as list.${name}(x, x.name == 'a')`,
    )
  }
  return {
    kind: 'macro',
    macro: name,
    of: convert(receiver),
    variable: variable.args,
    body: convert(body),
    span,
  }
}

function guard(name: 'has' | 'default', args: readonly ASTNode[], span: Span): ExpressionTree {
  const [path, otherwise] = args.map(convert)
  const isPath = path?.kind === 'member' || path?.kind === 'index'
  if (name === 'has' && args.length === 1 && isPath) return { kind: 'has', of: path, span }
  if (name === 'default' && args.length === 2 && isPath && otherwise)
    return { kind: 'default', of: path, otherwise, span }
  const example = name === 'has' ? 'has(inputs.session_id)' : 'default(inputs.limit, 10)'
  return refuse(
    'EXPRESSION_SYNTAX',
    `${name} takes a path${name === 'default' ? ' and a value' : ''}`,
    span,
    `such as ${example}`,
  )
}

function refuse(code: DiagnosticCode, message: string, span: Span, hint?: string): never {
  throw new Refusal({ code, message, span, ...(hint === undefined ? {} : { hint }) })
}
