import {
  type Alias,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml'
import { isBeyondNumbers, type JsonPath } from '../../core/json.ts'
import type { DiagnosticCode, Range } from '../diagnostic.ts'
import { runbookLimits } from '../limits.ts'
import {
  cutExpression,
  foreignExpression,
  isExpressionWithoutDollar,
  missingDollar,
  valueInComment,
} from './cut-values.ts'
import { type Findings, tagProblem, unreadableText } from './findings.ts'

/** What the values of a document are read with. */
export interface Reading {
  readonly text: string
  readonly findings: Findings
  /** The values are data: no rule for runbooks holds. */
  readonly isData: boolean
  /** Of numbers: a program has written them, or none can be meant as a text. */
  readonly takesAnySpelling: boolean
  rangeAt(start: number, end: number): Range
  /** Whether the text at this position was replaced; the finding is reported now that the path is known. */
  tellMasked(start: number, end: number, path: JsonPath): boolean
}

/** What the walk over one document remembers. */
export interface Walk extends Reading {
  /** Keys and positions from the root to where the walk is. */
  readonly path: (string | number)[]
  readonly anchors: Map<string, Node>
  /** The anchors that are being followed. */
  readonly followed: Node[]
  aliases: number
  aliasedValues: number
  hasTooManyAliases: boolean
}

const maxDepthOfData = 60

/**
 * The values of a document as plain data. What JSON or the language has no place for is reported and becomes
 * `unreadable`, so that everything around it can still be checked.
 */
export function toPlain(contents: Node, reading: Reading): unknown {
  const walk: Walk = {
    ...reading,
    path: [],
    anchors: new Map(),
    followed: [],
    aliases: 0,
    aliasedValues: 0,
    hasTooManyAliases: false,
  }
  return plain(walk, contents)
}

function plain(walk: Walk, node: Node | null | undefined): unknown {
  if (!node) return null
  if (walk.followed.length > 0) walk.aliasedValues++
  if (isAlias(node)) return plainAlias(walk, node)
  if (node.anchor !== undefined) walk.anchors.set(node.anchor, node)
  if (node.tag !== undefined) return refuseTag(walk, node)
  if (isScalar(node)) return plainScalar(walk, node)
  const deepest = walk.isData ? maxDepthOfData : runbookLimits.levels
  if (walk.path.length >= deepest)
    return refuse(walk, 'TOO_DEEP', node, `there are more than ${deepest} maps and lists inside one another`)
  if (isSeq(node)) return plainList(walk, node, node.items as readonly (Node | Pair)[])
  return isMap(node) ? plainMap(walk, node as YAMLMap<Node, Node | null>) : null
}

/** Says what is wrong with a value, and takes its place. */
function refuse(
  walk: Walk,
  code: DiagnosticCode,
  node: Node,
  message: string,
  hint?: string,
): typeof unreadableText {
  const [start = 0, end = start] = node.range ?? []
  if (walk.tellMasked(start, end, walk.path)) return unreadableText
  walk.findings.add(code, walk.path, walk.rangeAt(start, end), message, hint)
  return unreadableText
}

function plainList(walk: Walk, node: Node, items: readonly (Node | Pair)[]): unknown {
  if (items.length > runbookLimits.items && !walk.isData) {
    return refuse(
      walk,
      'LIST_TOO_LONG',
      node,
      `the list has ${items.length} items; ${runbookLimits.items} are allowed`,
    )
  }
  return items.map((item, index) => {
    walk.path.push(index)
    // `[a: 1]` is a list of one map; the library keeps the pair.
    const value = isPair(item)
      ? { [keyText(walk, item.key as Node) ?? '']: plain(walk, item.value as Node) }
      : plain(walk, item)
    walk.path.pop()
    return value
  })
}

function plainMap(walk: Walk, node: YAMLMap<Node, Node | null>): unknown {
  if (!walk.isData && missingDollar(walk.text, node)) {
    const message = 'two braces alone are a map inside a map'
    return refuse(walk, 'MISSING_DOLLAR', node, message, 'an expression begins with ${{')
  }
  const map: Record<string, unknown> = {}
  const keys = new Map<string, Node>()
  for (const { key, value } of node.items) {
    const name = keyText(walk, key)
    if (name === undefined) continue
    walk.path.push(name)
    // In quotes it is a name, as in JSON, and in data also before a value that nothing can be merged of.
    const isMerge =
      name === '<<' && isScalar(key) && key.type === 'PLAIN' && !(walk.isData && isScalar(value))
    if (isMerge) Object.assign(map, mergedMap(walk, key, value))
    else if (isNewKey(walk, keys, name, key)) map[name] = plainValue(walk, key, value)
    walk.path.pop()
  }
  return map
}

function plainValue(walk: Walk, key: Node, value: Node | null): unknown {
  const hasComment = !walk.isData && (value === null || isScalar(value))
  const comment = hasComment ? valueInComment(walk.text, key, value) : undefined
  if (comment === undefined) return plain(walk, value)
  const [start, end] = comment
  const message = '"#" begins a comment here, so the key has no value'
  const hint = `quote it: "${walk.text.slice(start, end)}"`
  walk.findings.add('VALUE_IS_COMMENT', walk.path, walk.rangeAt(start, end), message, hint)
  return unreadableText
}

/** The text of a key. Keys of other kinds, and names that JavaScript gives a meaning of its own, are refused. */
function keyText(walk: Walk, key: Node | null): string | undefined {
  const target = isAlias(key) ? walk.anchors.get(key.source) : key
  if (key === null || !isScalar(target) || target.value === null) {
    if (key) refuse(walk, 'YAML_FEATURE', key, 'a key is a text', 'quote it')
    return undefined
  }
  if (target.tag !== undefined) refuseTag(walk, target)
  const name = typeof target.value === 'string' ? target.value : (target.source ?? String(target.value))
  if (name !== '__proto__') return name
  refuse(walk, 'YAML_FEATURE', key, '"__proto__" cannot be a key')
  return undefined
}

function isNewKey(walk: Walk, keys: Map<string, Node>, name: string, key: Node): boolean {
  const first = keys.get(name)
  if (first === undefined) {
    keys.set(name, key)
    return true
  }
  const { line } = walk.rangeAt(first.range?.[0] ?? 0, 0).start
  refuse(walk, 'DUPLICATE_KEY', key, `"${name}" stands twice in this map; the first is in line ${line}`)
  return false
}

/** What a merge key would have brought: it is refused, and still the map is checked as it was meant. */
function mergedMap(walk: Walk, key: Node, value: Node | null): unknown {
  refuse(walk, 'MERGE_KEY', key, 'merge keys of YAML are not read', 'write the keys out')
  const merged = plain(walk, value)
  const maps: readonly unknown[] = Array.isArray(merged) ? merged : [merged]
  return Object.assign({}, ...maps.filter((map) => typeof map === 'object').reverse())
}

function plainAlias(walk: Walk, alias: Alias): unknown {
  const { source } = alias
  const target = walk.anchors.get(source)
  if (!target) {
    const message = `a value that begins with "*" repeats another, and there is no "&${source}" before it`
    return refuse(walk, 'UNKNOWN_ALIAS', alias, message, `quote it: "*${source}"`)
  }
  if (walk.followed.includes(target) || contains(target, alias))
    return refuse(walk, 'YAML_FEATURE', alias, `"*${source}" stands inside the value that it repeats`)
  walk.aliases++
  if (walk.aliases > runbookLimits.aliases || walk.aliasedValues > runbookLimits.aliasedValues)
    return tooManyAliases(walk, alias)
  walk.followed.push(target)
  const value = plain(walk, target)
  walk.followed.pop()
  return value
}

/** Told once: what comes after it has the same reason. */
function tooManyAliases(walk: Walk, alias: Alias): typeof unreadableText {
  if (walk.hasTooManyAliases) return unreadableText
  walk.hasTooManyAliases = true
  const limit = `${runbookLimits.aliases} times, and for ${runbookLimits.aliasedValues} values in all`
  return refuse(walk, 'TOO_MANY_ALIASES', alias, `aliases are followed ${limit}`)
}

function contains(target: Node, alias: Alias): boolean {
  const [start = 0, , end = start] = target.range ?? []
  const at = alias.range?.[0] ?? -1
  return at >= start && at < end
}

function refuseTag(walk: Walk, node: Node): typeof unreadableText {
  const [valueStart = 0, end = valueStart] = node.range ?? []
  if (walk.tellMasked(valueStart, end, walk.path)) return unreadableText
  // The tag is before the value, and no node has its range.
  const tag = (node.tag ?? '!').replace('tag:yaml.org,2002:', '!!')
  const before = walk.text.slice(Math.max(0, valueStart - 300), valueStart)
  const at = before.lastIndexOf(tag)
  const start = at < 0 ? valueStart : valueStart - before.length + at
  const { code, message, hint } = tagProblem(tag, walk.path.at(-1))
  walk.findings.add(code, walk.path, walk.rangeAt(start, end), message, hint)
  return unreadableText
}

/** Words that older readers of YAML take for true and false. */
const ambiguous = /^(yes|no|on|off)$/i

/** Keys that take a text wherever they are. */
const textKeys: readonly unknown[] = ['name', 'title', 'description', 'message']

/** The value of a scalar as JSON has it. */
function plainScalar(walk: Walk, node: Scalar): unknown {
  const { value } = node
  const [start = 0, end = start] = node.range ?? []
  if (walk.tellMasked(start, end, walk.path)) return unreadableText
  if (typeof value === 'bigint') return plainNumber(walk, node, value)
  if (typeof value === 'number' && !Number.isFinite(value))
    return refuse(walk, 'YAML_FEATURE', node, `JSON has no number such as ${walk.text.slice(start, end)}`)
  if (typeof value === 'number') return plainNumber(walk, node, value)
  if (typeof value !== 'string') return value
  if (walk.isData) return isAmbiguous(node) ? plainText(walk, node, value) : value
  return plainText(walk, node, value)
}

/** A number is written as JSON writes it: with any other spelling, a text can be meant, such as a version or a mode. */
function plainNumber(walk: Walk, node: Scalar, value: number | bigint): unknown {
  const written = node.source ?? String(value)
  const shown = written.length > 40 ? `${written.slice(0, 40)}…` : written
  const number = Number(value)
  const isSame = spelling(written) === spelling(String(number))
  if (isBeyondNumbers(typeof value === 'number' ? written : String(value))) {
    const message = `${shown} is beyond 2^53 - 1 and cannot be held exactly`
    return refuse(walk, 'INTEGER_TOO_LARGE', node, message, 'quote it, if a text will do')
  }
  if (isSame || isId(walk) || walk.takesAnySpelling) return number
  const message = `${shown} is the number ${number}, and a text could be meant`
  return refuse(walk, 'AMBIGUOUS_WORD', node, message, `write ${number}, or quote it: "${shown}"`)
}

/** What the id of a step may be has a finding of its own. */
function isId({ isData, path }: Walk): boolean {
  return !isData && path.at(-1) === 'id'
}

function spelling(number: string): string {
  return number.toLowerCase().replace('e+', 'e')
}

function isAmbiguous({ type, value }: Scalar): boolean {
  return type === 'PLAIN' && typeof value === 'string' && ambiguous.test(value)
}

function plainText(walk: Walk, node: Scalar, value: string): unknown {
  const isPlain = node.type === 'PLAIN'
  if (isAmbiguous(node) && !isId(walk)) {
    const word = /^(yes|on)$/i.test(value) ? 'true' : 'false'
    const message = `"${value}" is a text in YAML 1.2, and was ${word} before`
    const other = textKeys.includes(walk.path.at(-1)) ? '' : `write ${word}, or `
    return refuse(walk, 'AMBIGUOUS_WORD', node, message, `${other}quote it: "${value}"`)
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
    return unreadableText
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
