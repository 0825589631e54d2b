import type { SourceSpan } from '../../core/expressions/index.ts'
import { type ExpressionProblem, maxLevels } from './problem.ts'

/** What the parser throws, as far as it is looked at. */
interface ParserError {
  readonly code?: string
  readonly summary?: string
  readonly message: string
  readonly range?: { readonly start: number; readonly end: number }
  /** What it is about, where that is a whole node. */
  readonly node?: { readonly start?: number; readonly end?: number }
}

/** Says in our words why the parser could not read an expression. */
export function syntaxProblem(thrown: unknown, source: string): ExpressionProblem {
  const { code = '', summary, message, range, node } = thrown as ParserError
  const span = spanOf(source, range && { ...range, start: node?.start ?? range.start })
  if (source.trim() === '') return problem('the expression is empty', [0, source.length])
  const optional = /\.\?$|\[\?$/.exec(source.slice(0, span[0] + 1))
  if (optional && (code === 'expected_token' || code === 'unexpected_token')) {
    return {
      code: 'UNSUPPORTED_EXPRESSION',
      message: 'optionals are not part of expressions',
      span,
      hint: 'use has(…) or default(…)',
    }
  }
  const explain = explanations[code]
  const explained = explain?.(source, span, summary ?? message)
  if (explained) return problem(explained.message, explained.span ?? span, explained.hint)
  const text = summary ?? message.split('\n')[0] ?? ''
  return problem(text.slice(0, 1).toLowerCase() + text.slice(1), span)
}

function problem(message: string, span: SourceSpan, hint?: string): ExpressionProblem {
  return { code: 'EXPRESSION_SYNTAX', message, span, ...(hint === undefined ? {} : { hint }) }
}

/** The parser counts UTF-16 units; a character of two is shown as a whole. */
function spanOf(source: string, range: ParserError['range']): SourceSpan {
  if (!range) return [0, source.length]
  const first = String.fromCodePoint(source.codePointAt(range.start) ?? 0)
  return [range.start, Math.max(range.end, Math.min(range.start + first.length, source.length))]
}

interface Explanation {
  readonly message: string
  readonly hint?: string | undefined
  readonly span?: SourceSpan
}

type Explain = (source: string, span: SourceSpan, summary: string) => Explanation

const explanations: Readonly<Record<string, Explain>> = {
  expected_token: (source, span, summary) => {
    const [, wanted = ''] = /^Expected (\w+)/.exec(summary) ?? []
    const name = found(source, span)
    const before = source[span[0] - 1]
    if (wanted === 'IDENTIFIER' && before === '.') return afterDot(source, span, name)
    return {
      message: `${tokens[wanted] ?? wanted} is expected here, not ${name}`,
      hint: hintFor(source, span),
    }
  },
  unexpected_token: (source, span) => ({
    message: `a value is expected here, not ${found(source, span)}`,
    hint: hintFor(source, span),
  }),
  unexpected_character: (source, span) => ({
    message: `${found(source, span)} is not expected here`,
    hint: hintFor(source, span),
  }),
  reserved_identifier: (source, span) => ({
    message: `${found(source, span)} is a word of the grammar and cannot be a name`,
  }),
  limit_exceeded: (_, __, summary) => ({
    message: summary.includes('maxDepth')
      ? `an expression has at most ${maxLevels} levels`
      : 'the expression has too many parts',
    hint: 'split it',
  }),
  unterminated_string: unclosedText,
  unterminated_triple_quoted_string: unclosedText,
  newline_in_string: () => ({
    message: 'a text in single quotes ends on its own line',
    hint: "write \\n, or three quotes: '''…'''",
  }),
  invalid_number: (source, span) => ({ message: `${found(source, span)} is too large for a number` }),
  invalid_integer: (source, span) => ({ message: `${found(source, span)} is too large for a number` }),
  invalid_macro_argument: () => ({
    message: 'the first argument of a macro is a name',
    hint: "such as list.filter(x, x.name == 'a')",
  }),
}

function unclosedText(): Explanation {
  return { message: 'a text has no closing quote' }
}

const tokens: Readonly<Record<string, string>> = {
  RPAREN: '")"',
  RBRACKET: '"]"',
  RBRACE: '"}"',
  COLON: '":"',
  IDENTIFIER: 'a name',
}

function found(source: string, span: SourceSpan): string {
  return span[0] >= source.trimEnd().length ? 'the end' : `"${source.slice(...span)}"`
}

/** A name after a dot is letters, digits and `_`, and none of four words. */
function afterDot(source: string, span: SourceSpan, name: string): Explanation {
  const [holder = ''] = /[\w.]*$/.exec(source.slice(0, span[0] - 1)) ?? []
  const isWord = /^\w+$/.test(source.slice(...span))
  return {
    message: `a name is expected after ".", not ${name}`,
    hint: isWord && holder !== '' ? `in brackets: ${holder}['${source.slice(...span)}']` : undefined,
  }
}

/** What authors mean who know other languages. */
function hintFor(source: string, [start, end]: SourceSpan): string | undefined {
  const text = source.slice(start, end)
  const around = source.slice(Math.max(0, start - 2), end + 2)
  if (text === '=' && /[=!]==/.test(around)) return `"==" and "!=" compare`
  if (text === '=' && around.includes('=>'))
    return 'a macro takes a name and an expression: list.map(x, x.name)'
  if (around.includes('??')) return 'use default(path, value)'
  if (around.includes('?.')) return 'use has(…) or default(…)'
  if (around.includes('${{')) return 'inside ${{ }} stand expressions only, without ${{ }} of their own'
  if (text === '{' && /\w$/.test(source.slice(0, start))) return "a map is written {'name': value}"
  return Object.hasOwn(hints, text) ? hints[text] : unicodeHint(text)
}

const hints: Readonly<Record<string, string>> = {
  '=': 'compare with "=="',
  '&': 'write &&',
  '|': 'write ||; there are no pipes: size(list), not list | size',
  and: 'write &&',
  or: 'write ||',
  is: 'compare with "=="',
  not: 'write !(…)',
  '`': "in brackets: steps['a-b']",
  '#': 'a comment begins with //',
  ';': 'an expression has one value',
  $: 'a name stands by itself: inputs.host',
  '@': 'a name stands by itself: inputs.host',
  '\\': 'a backslash is only allowed in texts',
}

function unicodeHint(text: string): string | undefined {
  if (/^[“”„«»‘’‚]/u.test(text)) return `quotes are ' and "`
  if (/^\p{White_Space}/u.test(text)) return 'this is no plain space; write one'
  if (/^\p{Letter}/u.test(text) && !/^\w/.test(text))
    return "write other letters in brackets: inputs['größe']"
  return /^_?\d/.test(text) || /^[smhd]$/.test(text) ? 'a number has digits and one point only' : undefined
}
