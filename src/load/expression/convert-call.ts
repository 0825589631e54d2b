import type { ASTNode } from '@marcbachmann/cel-js'
import { expressionFunctions, functionOf } from '../../core/expressions/functions.ts'
import type { ExpressionTree, Macro, Span } from '../../core/expressions/tree.ts'
import { suggest } from '../../core/nearest.ts'
import type { Convert } from './convert.ts'
import { otherWord } from './other-words.ts'
import { refuse } from './problem.ts'

/** `name(…)`, or `receiver.name(…)`. */
export interface ParsedCall {
  readonly name: string
  readonly receiver?: ASTNode
  readonly args: readonly ASTNode[]
  readonly span: Span
}

const macros: readonly string[] = ['all', 'exists', 'exists_one', 'filter', 'map'] satisfies Macro[]

/** Converts a call: of a macro, of `has` or `default`, or of a function of the table. */
export function convertCall(call: ParsedCall, convert: Convert): ExpressionTree {
  const { name, receiver, args, span } = call
  if (macros.includes(name)) return convertMacro(call, convert)
  if (name === 'has' || name === 'default') return convertGuard(name, call, convert)
  const called = functionOf(name)
  if (!called) return refuseUnknown(name, span)
  const values = receiver ? [receiver, ...args] : args
  const most = called.parameters.length
  const least = most - (called.optional ?? 0)
  if (values.length < least || values.length > most) {
    const count = least === most ? String(least) : `${least} to ${most}`
    const message = `${name} takes ${count} ${count === '1' ? 'argument' : 'arguments'}, not ${values.length}`
    return refuse('EXPRESSION_SYNTAX', message, span, `such as ${called.example}`)
  }
  return { kind: 'call', function: name, arguments: values.map(convert), span }
}

function refuseUnknown(name: string, span: Span): never {
  const other = otherWord(name)
  if (other) return refuse(other.code, other.message, span, other.hint)
  const callable = [...expressionFunctions.map((entry) => entry.name), ...macros, 'has', 'default']
  return refuse('UNKNOWN_FUNCTION', `there is no function "${name}"`, span, suggest(name, callable))
}

/** `list.map(x, condition, value)` is `list.filter(x, condition).map(x, value)`. */
function convertMacro({ name, receiver, args, span }: ParsedCall, convert: Convert): ExpressionTree {
  const [variable, ...bodies] = args
  const isComplete = bodies.length === 1 || (name === 'map' && bodies.length === 2)
  if (receiver === undefined || variable?.op !== 'id' || !isComplete) {
    const names = args.slice(0, -1).every(({ op }) => op === 'id') && args.length > 2 ? 'one name' : 'a name'
    return refuse(
      'EXPRESSION_SYNTAX',
      `${name} is called on a list and takes ${names} and an expression`,
      span,
      `such as list.${name}(x, ${name === 'map' ? 'x.name' : "x.name == 'a'"})`,
    )
  }
  return bodies.reduce<ExpressionTree>(
    (of, body, index) => ({
      kind: 'macro',
      macro: index === bodies.length - 1 ? (name as Macro) : 'filter',
      of,
      variable: variable.args,
      body: convert(body),
      span,
    }),
    convert(receiver),
  )
}

function convertGuard(
  name: 'has' | 'default',
  { receiver, args, span }: ParsedCall,
  convert: Convert,
): ExpressionTree {
  const [first, second] = args
  const isPath = receiver === undefined && (first?.op === '.' || first?.op === '[]')
  if (first && isPath && name === 'has' && args.length === 1) return { kind: 'has', of: convert(first), span }
  if (first && second && isPath && name === 'default' && args.length === 2) {
    return { kind: 'default', of: convert(first), otherwise: convert(second), span }
  }
  const takes =
    name === 'has' ? 'a path with at least two parts' : 'a path with at least two parts, and a value'
  const example = name === 'has' ? 'has(inputs.session_id)' : 'default(inputs.limit, 10)'
  return refuse('EXPRESSION_SYNTAX', `${name} takes ${takes}`, span, `such as ${example}`)
}
