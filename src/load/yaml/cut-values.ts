/** Values that are sound YAML and still not what their author meant: YAML took a part of them for something else. */
import { isMap, type Node, type Scalar, type YAMLMap } from 'yaml'
import { splitSegments } from '../expressions/segments.ts'

type Stretch = readonly [start: number, end: number]

/** The comment that stands where the value of a key should be, such as `#FF0000`. */
export function valueInComment(text: string, key: Node, value: Scalar | null): Stretch | undefined {
  if (value !== null && (value.value !== null || value.source !== '' || value.anchor !== undefined))
    return undefined
  const end = key.range?.[1] ?? 0
  const found = /^[ \t]*:[ \t]+(#[^\s#!-][^\r\n]*)/.exec(text.slice(end, end + 300))
  if (!found?.[1]) return undefined
  const start = end + found[0].length - found[1].length
  return [start, start + found[1].trimEnd().length]
}

/** `{{ inputs.host }}`: a map whose only key is a map that stands right at its beginning. */
export function missingDollar(text: string, node: YAMLMap): boolean {
  if (!node.flow || node.items.length !== 1) return false
  const key = node.items[0]?.key
  const start = node.range?.[0] ?? 0
  return isMap(key) && key.flow === true && text.startsWith('{{', start) && key.range?.[0] === start + 1
}

/** The same in quotes. */
export function isExpressionWithoutDollar(value: string): boolean {
  return /^\{\{-?\s*(inputs|steps|secrets)\s*[.[][^}]*\}\}\s*$/.test(value)
}

/** How other tools begin an expression, where a text has one with a name of ours in it: `{{` or `${`. */
export function foreignExpression(value: string): string | undefined {
  return /(?<!\$)(\{\{-?|\$\{)\s*(inputs|steps|secrets|run)\s*[.[][^{}]*\}/.exec(value)?.[1]?.slice(0, 2)
}

/** An expression of which a comment cuts off the end: from its beginning to the end of the line. */
export function cutExpression(text: string, node: Scalar, value: string): Stretch | undefined {
  if (!value.includes('${{')) return undefined
  const [start = 0, end = start] = node.range ?? []
  const rest = /^[ \t]+#[^\r\n]*/.exec(text.slice(end, end + 2500))
  if (!rest || splitSegments(value).at(-1)?.kind !== 'open') return undefined
  const begin = text.lastIndexOf('${{', end)
  return begin < start ? undefined : [begin, end + rest[0].trimEnd().length]
}
