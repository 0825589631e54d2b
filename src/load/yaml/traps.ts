/**
 * What YAML makes of values that need quotes and have none, in a text that is not valid YAML. Each trap is reported
 * under its own name, and its text replaced by harmless text of the same length, so that the rest of the file can be
 * read and no position moves.
 */
import type { DiagnosticCode } from '../diagnostic.ts'
import { splitSegments } from '../expressions/segments.ts'
import { tagProblem } from './findings.ts'
import { type Lexeme, readLexemes } from './lexemes.ts'

export interface Trap {
  readonly code: DiagnosticCode
  /** The text that YAML misreads. */
  readonly start: number
  readonly end: number
  readonly message: string
  readonly hint: string
  /** The text after a value, which begins here, is left out: the value without it is not checked. */
  readonly after?: number
}

interface Search {
  readonly text: string
  readonly anchors: ReadonlySet<string>
  /** Collections in brackets or braces that are open. */
  flow: number
}

/** The traps of a text, in order. None overlaps another. */
export function findTraps(text: string): readonly Trap[] {
  const lexemes = readLexemes(text)
  const anchors = lexemes.flatMap(({ kind, source }) =>
    kind === 'mark' && source[0] === '&' ? [source.slice(1)] : [],
  )
  const search: Search = { text, anchors: new Set(anchors), flow: 0 }
  const traps: Trap[] = []
  let end = 0
  for (const [index, lexeme] of lexemes.entries()) {
    if (lexeme.offset < end || lexeme.kind === 'space' || lexeme.kind === 'block') continue
    const trap = trapAt(search, lexeme, lexemes[index + 1])
    if (trap) {
      traps.push(trap)
      end = trap.end
    } else if (lexeme.kind === 'mark') countFlow(search, lexeme.source)
  }
  return traps
}

/** The first of the traps that a stretch of text has a part of. They are in order. */
export function trapWithin(traps: readonly Trap[], start: number, end: number): Trap | undefined {
  let [low, high] = [0, traps.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((traps[middle] as Trap).end > start) high = middle
    else low = middle + 1
  }
  const trap = traps[low]
  return trap && trap.start < end ? trap : undefined
}

/** The text with all traps made harmless. */
export function withoutTraps(text: string, traps: readonly Trap[]): string {
  let harmless = ''
  let at = 0
  for (const { start, end, after } of traps) {
    harmless += text.slice(at, start) + text.slice(start, end).replace(/\S/g, after === undefined ? 'x' : ' ')
    at = end
  }
  return harmless + text.slice(at)
}

function countFlow(search: Search, source: string): void {
  if (source === '{' || source === '[') search.flow++
  else if ((source === '}' || source === ']') && search.flow > 0) search.flow--
}

function trapAt(search: Search, lexeme: Lexeme, next: Lexeme | undefined): Trap | undefined {
  if (lexeme.kind === 'plain') return cutExpression(search, lexeme)
  if (lexeme.kind === 'quoted') return textAfterQuote(search, lexeme)
  if (lexeme.source[0] === '*') return unknownAlias(search, lexeme)
  if (lexeme.source[0] === '!') return tag(search, lexeme)
  const isDoubled = lexeme.source === '{' && next?.source === '{'
  return isDoubled ? missingDollar(search, lexeme) : undefined
}

/** An expression without quotes that YAML ends before its own end. */
function cutExpression({ text, flow }: Search, { source, offset }: Lexeme): Trap | undefined {
  const cutAt = offset + source.length
  const isBrace = source.endsWith('$') && text.startsWith('{{', cutAt)
  const open = splitSegments(source).at(-1)
  if (!isBrace && open?.kind !== 'open') return undefined
  const start = isBrace ? cutAt - 1 : text.lastIndexOf('${{', cutAt)
  const [first] = splitSegments(fewLines(text, start))
  const end = first?.kind === 'expression' ? start + first.end + 2 : endOfLine(text, start)
  const rest = text.slice(cutAt, cutAt + 20)
  if (end <= cutAt) return undefined
  const common = { code: 'UNQUOTED_EXPRESSION', start, end, hint: 'put the whole value in quotes' } as const
  if (isBrace || flow > 0)
    return { ...common, message: 'braces of YAML end an expression without quotes that stands inside them' }
  if (/^[ \t]*:(\s|$)/.test(rest))
    return { ...common, message: '": " begins a map in a value without quotes, also inside an expression' }
  if (/^[ \t]+#/.test(rest)) {
    return {
      ...common,
      message: '" #" begins a comment in a value without quotes, also inside an expression',
    }
  }
  return undefined
}

/** As much text as an expression of some lines takes. */
function fewLines(text: string, start: number): string {
  let end = start
  for (let line = 0; line < 4 && end < text.length; line++) end = endOfLine(text, end) + 2
  return text.slice(start, Math.min(end, start + 2100))
}

function textAfterQuote({ text, flow }: Search, { source, offset }: Lexeme): Trap | undefined {
  const quote = source[0] ?? ''
  const start = offset + source.length
  const rest = text.slice(start, endOfLine(text, start)).trimEnd()
  const isClosed = source.length > 1 && source.endsWith(quote)
  const isGoingOn = flow > 0 ? /^[ \t]*[^\s:,\]}#]/.test(rest) : /^[ \t]*[^\s:#]/.test(rest)
  if (!isClosed || !isGoingOn) return undefined
  const end = start + (flow > 0 ? rest.search(/[,\]}]|$/) : rest.length)
  return {
    code: 'YAML_SYNTAX',
    start: start + rest.search(/\S/),
    end,
    after: offset,
    message: 'the value ends with its closing quote, and this stands after it',
    hint: 'put the whole value inside one pair of quotes',
  }
}

function unknownAlias(search: Search, { source, offset }: Lexeme): Trap | undefined {
  if (search.anchors.has(source.slice(1))) return undefined
  const end = endOfValue(search, offset)
  return {
    code: 'UNKNOWN_ALIAS',
    start: offset,
    end,
    message: 'a value that begins with "*" repeats another, and there is none of this name',
    hint: `quote it: "${search.text.slice(offset, end)}"`,
  }
}

function tag(search: Search, { source, offset }: Lexeme): Trap {
  const key = /([\w-]+):[ \t]*$/.exec(search.text.slice(Math.max(0, offset - 60), offset))?.[1]
  return { ...tagProblem(source, key), start: offset, end: endOfValue(search, offset) }
}

function missingDollar(search: Search, { offset }: Lexeme): Trap | undefined {
  const { text, flow } = search
  const close = text.slice(offset, endOfLine(text, offset)).indexOf('}}')
  if (close < 0) return undefined
  return {
    code: 'MISSING_DOLLAR',
    start: offset,
    end: flow > 0 ? offset + close + 2 : endOfValue(search, offset),
    message: 'two braces alone are a map inside a map',
    hint: 'an expression begins with ${{',
  }
}

/** Where a value without quotes ends that begins at the offset: with its line, or in brackets with its item. */
function endOfValue({ text, flow }: Search, offset: number): number {
  const line = text.slice(offset, endOfLine(text, offset))
  const value = flow > 0 ? line.replace(/[,\]}].*$/, '') : line
  return offset + Math.max(1, value.replace(/\s#.*$/, '').trimEnd().length)
}

function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end < 0 ? text.length : text[end - 1] === '\r' ? Math.max(offset, end - 1) : end
}
