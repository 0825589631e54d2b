import type { Scalar } from 'yaml'
import { cutExpression, foreignExpression, isExpressionWithoutDollar } from './cut-values.ts'
import { refuse, type Walk } from './to-plain.ts'
import { unreadable } from './unreadable.ts'

/** Words that older readers of YAML take for true and false. */
const ambiguous = /^(yes|no|on|off)$/i

/** The value of a scalar as JSON has it. */
export function plainScalar(walk: Walk, node: Scalar): unknown {
  const { value } = node
  const [start = 0, end = start] = node.range ?? []
  if (walk.tellMasked(start, end, walk.path)) return unreadable
  if (typeof value === 'bigint') return plainInteger(walk, node, value)
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return refuse(walk, 'YAML_FEATURE', node, `JSON has no number such as ${walk.text.slice(start, end)}`)
  }
  return typeof value === 'string' ? plainText(walk, node, value) : value
}

function plainInteger(walk: Walk, node: Scalar, value: bigint): unknown {
  const isSafe = value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
  if (isSafe) return Number(value)
  const text = node.source ?? String(value)
  const message = `${text.length > 40 ? `${text.slice(0, 40)}…` : text} is beyond 2^53 and cannot be held exactly`
  return refuse(walk, 'INTEGER_TOO_LARGE', node, message, 'quote it, if a text will do')
}

function plainText(walk: Walk, node: Scalar, value: string): unknown {
  const isPlain = node.type === 'PLAIN'
  if (isPlain && ambiguous.test(value) && walk.path.at(-1) !== 'id') {
    const word = /^(yes|on)$/i.test(value) ? 'true' : 'false'
    const message = `"${value}" is a text in YAML 1.2, and was ${word} before`
    return refuse(walk, 'AMBIGUOUS_WORD', node, message, `write ${word}, or quote it: "${value}"`)
  }
  const cut = isPlain ? cutExpression(walk.text, node, value) : undefined
  if (cut) {
    const message = '" #" begins a comment in a value without quotes, also inside an expression'
    walk.findings.add(
      'UNQUOTED_EXPRESSION',
      walk.path,
      walk.rangeAt(...cut),
      message,
      'put the value in quotes',
    )
    return unreadable
  }
  if (isExpressionWithoutDollar(value)) {
    const message = 'two braces alone begin no expression, so the text stays as it is'
    return refuse(walk, 'MISSING_DOLLAR', node, message, 'an expression begins with ${{')
  }
  const foreign = foreignExpression(value)
  if (foreign !== undefined) {
    const message = `"${foreign}" begins no expression, so this part of the text stays as it is`
    const [start = 0, end = start] = node.range ?? []
    walk.findings.warn(
      'MISSING_DOLLAR',
      walk.path,
      walk.rangeAt(start, end),
      message,
      'an expression begins with ${{ and ends with }}',
    )
  }
  return value
}
