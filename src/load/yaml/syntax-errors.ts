import type { YAMLError } from 'yaml'
import type { Range } from '../diagnostic.ts'
import type { Findings } from './findings.ts'
import { readLexemes } from './lexemes.ts'

/** Errors after which the library still reads what was meant. */
const harmless: ReadonlySet<string> = new Set([
  'BAD_ALIAS',
  'BAD_DQ_ESCAPE',
  'BAD_SCALAR_START',
  'TAG_RESOLVE_FAILED',
])

/** Whether nothing needs to be looked for because of an error: no value is cut, and no line lost. */
export function isHarmless({ code }: YAMLError): boolean {
  return harmless.has(code) && code !== 'BAD_ALIAS'
}

/**
 * Reports errors, of those that follow from one another only the first. Returns whether the rest can be trusted. No
 * message or hint repeats the text: it may hold a key.
 */
export function tellErrors(
  errors: readonly YAMLError[],
  text: string,
  rangeAt: (start: number, end: number) => Range,
  findings: Findings,
): boolean {
  const tabs = errors.filter(({ code }) => code === 'TAB_AS_INDENT')
  for (const { pos } of tabs)
    findings.add('TAB', [], rangeAt(...pos), 'a tab is no indentation in YAML', 'indent with spaces')
  for (const { code, pos, message } of errors) {
    if (code !== 'BAD_DQ_ESCAPE' && code !== 'BAD_SCALAR_START') continue
    const hint =
      code === 'BAD_SCALAR_START'
        ? 'put the value in quotes'
        : 'in double quotes a backslash is written twice; in single quotes it stands for itself'
    findings.add('YAML_SYNTAX', [], rangeAt(...pos), withoutText(message), hint)
  }
  const [first] = errors.filter(({ code }) => !harmless.has(code) && code !== 'TAB_AS_INDENT')
  if (first && tabs.length === 0) {
    const place = findUnclosed(text, first) ?? findLookalike(text, first)
    const { message, hint } = place ?? explain(first)
    const range = place ? rangeAt(place.start, place.start + 1) : rangeAt(...first.pos)
    findings.add('YAML_SYNTAX', [], range, message, hint)
  }
  return first === undefined && tabs.length === 0
}

interface Explanation {
  readonly message: string
  readonly hint?: string
}

/** The parser's words, where they are those of its grammar, in words of the file. */
const explanations: readonly (readonly [pattern: RegExp, words: Explanation])[] = [
  [/^Unexpected flow-(map|seq)-end/, { message: 'this bracket closes nothing' }],
  [/^Unexpected block-seq-ind on same line/, { message: 'a list begins in a line of its own' }],
  [
    /^Nested mappings are not allowed/,
    {
      message: 'a map begins inside a value',
      hint: 'put the value in quotes; or is the next line indented too far?',
    },
  ],
  [
    /^Implicit keys need to be on a single line/,
    { message: 'this is no key: it continues in the next line', hint: 'is a ":" missing?' },
  ],
  [/^Implicit map keys need to be followed/, { message: 'this is no key', hint: 'is a ":" missing?' }],
  [
    /^Sequence item without - indicator/,
    { message: 'this is no item of the list', hint: 'is a "-" missing, or some indentation?' },
  ],
  [
    /^All (mapping|sequence) items must start/,
    { message: 'this line is indented differently', hint: 'the keys of one map begin in one column' },
  ],
  [/at node end$/, { message: 'this stands after a value', hint: 'put the whole value in quotes' }],
]

function explain({ message }: YAMLError): Explanation {
  return explanations.find(([pattern]) => pattern.test(message))?.[1] ?? { message: withoutText(message) }
}

/** The parser's words without what they quote: it stands after a colon, or is an escape sequence. */
function withoutText(message: string): string {
  const words = message.replace(/(?<=[a-z]): .*$/s, '').replace(/ \\.*$/s, '')
  return words.slice(0, 1).toLowerCase() + words.slice(1)
}

/** A blank or a colon that only looks like the one of YAML, on the way to an error. */
function findLookalike(text: string, { pos: [from, to] }: YAMLError): Place | undefined {
  const begin = text.lastIndexOf('\n', from - 1) + 1
  const found = /[\u00A0\u2000-\u200B\u202F\u3000\uFF1A]/.exec(text.slice(begin, to))
  if (found === null) return undefined
  const code = `U+${found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
  const [name, hint] = found[0] === '\uFF1A' ? ['colon', 'write ":" and a space'] : ['blank', 'write a space']
  return {
    start: begin + found.index,
    message: `this ${name} is ${code}, which YAML takes for a letter`,
    hint,
  }
}

/** Where a quote or a bracket begins whose end is missing: the parser notices it much later. */
export interface Place {
  readonly start: number
  readonly message: string
  readonly hint: string
}

const closing: Readonly<Record<string, string>> = { '[': ']', '{': '}' }

/** What is open where the parser met an error, if it says that something is. */
function findUnclosed(text: string, { message, pos: [at] }: YAMLError): Place | undefined {
  const isQuote = /^Missing closing ['"]quote/.test(message)
  if (!isQuote && !/end with a [\]}]/.test(message)) return undefined
  const open: { readonly offset: number; readonly source: string }[] = []
  for (const { source, offset, kind } of readLexemes(text)) {
    if (offset > at) break
    if (isQuote && kind === 'quoted' && offset + source.length >= at)
      return unclosed(offset, source.slice(0, 1))
    if (source === '[' || source === '{') open.push({ offset, source })
    else if (source === closing[open.at(-1)?.source ?? '']) open.pop()
  }
  const last = open.at(-1)
  return last === undefined ? undefined : unclosed(last.offset, last.source)
}

function unclosed(start: number, mark: string): Place {
  return { start, message: `this ${mark} is never closed`, hint: `close it with ${closing[mark] ?? mark}` }
}
