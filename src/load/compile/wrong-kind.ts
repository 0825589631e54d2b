import { describeKinds, type Kind, type ValueType } from '../../core/expressions/index.ts'
import type { JsonPath } from '../../core/json.ts'
import { splitSegments } from '../expressions/segments.ts'
import { nameOf } from '../schema-problems.ts'
import type { Source } from '../source.ts'

/** Says why a value can never be of the kinds that its place needs. */
export function addWrongKind(
  source: Source,
  value: unknown,
  type: ValueType,
  path: JsonPath,
  kinds: readonly Kind[],
): void {
  if (typeof value === 'string' && addNewlineAfter(source, value, path)) return
  if (typeof value === 'string' && splitSegments(value).length > 1 && !kinds.includes('text')) {
    const message = `text around the expression makes a text of it, and ${describeKinds(kinds)} is needed`
    const hint = kinds.includes('boolean')
      ? `put everything inside: \${{ ${joined(value)} }}`
      : 'leave nothing around ${{ }}'
    source.add('NOT_ONE_EXPRESSION', path, message, hint)
    return
  }
  const isCondition = kinds.length === 1 && kinds[0] === 'boolean'
  const needed = isCondition
    ? 'a condition is true or false'
    : `${nameOf(path)} takes ${describeKinds(kinds)}`
  const message = `${needed}, and this is ${describeKinds(type.kinds)}`
  source.add('WRONG_KIND', path, message, hintFor(type, kinds))
}

/** A block scalar that keeps a newline after its only expression: the value is a text, whatever the expression is. */
export function addNewlineAfter(source: Source, text: string, path: JsonPath): boolean {
  const segments = splitSegments(text)
  const isAlone = segments.every((segment) => segment.kind !== 'text' || segment.text.trim() === '')
  const count = segments.filter(({ kind }) => kind === 'expression').length
  if (!isAlone || count !== 1 || segments.length === 1) return false
  const { style, written = '' } = source.scalarAt(path) ?? {}
  const isBlock = style === 'BLOCK_LITERAL' || style === 'BLOCK_FOLDED'
  const message = isBlock
    ? `"${written.slice(0, 1)}" keeps the newline after the expression, which makes a text of its value`
    : 'white space around the expression makes a text of its value'
  const hint = isBlock ? `write "${written.slice(0, 1)}-"` : 'leave nothing around ${{ }}'
  source.add(isBlock ? 'NEWLINE_AFTER_EXPRESSION' : 'NOT_ONE_EXPRESSION', path, message, hint)
  return true
}

/** What `${{ a }} == 'b'` was meant to be. */
function joined(text: string): string {
  return splitSegments(text)
    .map((segment) =>
      segment.kind === 'text' ? segment.text : segment.kind === 'expression' ? segment.source : '',
    )
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ')
}

function hintFor({ kinds = [] }: ValueType, needed: readonly Kind[]): string | undefined {
  if (needed.includes('list') && !kinds.includes('list')) return 'a list of one: ${{ [ … ] }}'
  if (needed.includes('number') && kinds.includes('text')) return 'number(…) reads a text as a number'
  if (!needed.includes('text') || kinds.length === 0) return undefined
  if (kinds.includes('number')) return 'string(…) makes a text of a number'
  if (kinds.some((kind) => kind !== 'text' && kind !== 'null')) return 'json(…) makes a text of it'
  return undefined
}
