import {
  Composer,
  type CST,
  type Document,
  isScalar,
  Lexer,
  type LineCounter,
  type Node,
  Parser,
  type YAMLError,
} from 'yaml'
import type { JsonPath } from '../../core/json.ts'
import type { Range } from '../diagnostic.ts'
import type { Findings } from './findings.ts'
import { isHarmless, tellErrors } from './syntax-errors.ts'
import { toPlain } from './to-plain.ts'
import { findTraps, type Trap, trapWithin, withoutTraps } from './traps.ts'

/** A YAML text as far as it could be read. */
export interface ReadYaml {
  /** Plain data; undefined where nothing can be trusted. */
  readonly value?: unknown
  readonly contents?: Node
}

/** Traps hide one another: so often is the text read anew. */
const mostRounds = 4

/** What a file is to hold, as its author calls it. */
export type FileContent = 'runbook' | 'tests' | 'configuration'

/** What a text is to hold. `values`: data of a user, which no rule for runbooks holds for. */
export type TextContent = FileContent | 'values'

/** The hint for a file that is no runbook. */
export const beginsWith = 'a runbook begins with apiVersion: opsbook/v1'

const words: Readonly<Record<TextContent, { all: string; second: string; none: string; begin?: string }>> = {
  runbook: {
    all: 'runbooks are',
    second: 'put each runbook into a file of its own',
    none: 'the file holds no runbook',
    begin: beginsWith,
  },
  tests: {
    all: 'test files are',
    second: 'put the tests of each runbook into a file of its own',
    none: 'the file holds no tests',
    begin: 'a test file begins with runbook: ./NAME.yaml',
  },
  configuration: {
    all: 'opsbook.yaml is',
    second: 'put everything into the first',
    none: 'the file is empty',
  },
  values: { all: 'values are', second: 'put everything into the first', none: 'there is no value' },
}

/** Reads YAML 1.2. What the author got wrong becomes findings; as much as can be trusted is read all the same. */
export function readYaml(
  text: string,
  lines: LineCounter,
  rangeAt: (start: number, end: number) => Range,
  findings: Findings,
  content: TextContent,
  takesAnySpelling = false,
): ReadYaml {
  const { parsed, traps } = parseAroundTraps(text, lines)
  const tell = ({ code, start, end, message, hint }: Trap, path: JsonPath): void =>
    findings.add(code, path, rangeAt(start, end), message, hint)
  if ('tooDeep' in parsed) {
    const range = rangeAt(parsed.tooDeep, parsed.tooDeep + 1)
    findings.add('TOO_DEEP', [], range, 'there are more than 20 maps and lists inside one another')
    for (const trap of traps) tell(trap, [])
    return {}
  }
  const { document, errors, second } = parsed
  if (second !== undefined) {
    const message = `a second document begins here; ${words[content].second}`
    findings.add('SEVERAL_DOCUMENTS', [], rangeAt(second, second + 3), message)
  }
  const isSound = tellErrors(errors, text, rangeAt, findings)
  if (!isSound || !document) for (const trap of traps) tell(trap, [])
  if (!document) return {}
  const { contents } = document
  if (document.directives.yaml.explicit && document.directives.yaml.version !== '1.2') {
    findings.add(
      'YAML_FEATURE',
      [],
      rangeAt(0, 1),
      `${words[content].all} YAML 1.2`,
      'leave the directive out',
    )
  }
  if (!isSound) return contents ? { contents } : {}
  if (!contents || (isScalar(contents) && contents.value === null)) {
    const { none, begin } = words[content]
    findings.add('EMPTY_FILE', [], rangeAt(0, 0), none, begin)
    return {}
  }
  const told = new Set<Trap>()
  const [values, ends] = [
    traps.filter(({ after }) => after === undefined),
    new Map(traps.map((trap) => [trap.after, trap])),
  ]
  const tellMasked = (start: number, end: number, path: JsonPath): boolean => {
    const trap = ends.get(start) ?? trapWithin(values, start, Math.max(end, start + 1))
    if (trap && !told.has(trap)) tell(trap, [...path])
    if (trap) told.add(trap)
    return trap !== undefined
  }
  const isData = content === 'values'
  const value = toPlain(contents, { text, findings, rangeAt, tellMasked, isData, takesAnySpelling })
  for (const trap of traps) if (!told.has(trap)) tell(trap, [])
  return { contents, value }
}

interface Parsing {
  readonly parsed: ParsedYaml | { readonly tooDeep: number }
  readonly traps: readonly Trap[]
}

function parseAroundTraps(text: string, lines: LineCounter): Parsing {
  let traps: readonly Trap[] = []
  let parsed = parseYaml(text, lines)
  for (let round = 1; round < mostRounds; round++) {
    const errors = 'tooDeep' in parsed ? undefined : parsed.errors
    if (errors?.every(isHarmless)) break
    const readable = withoutTraps(text, traps)
    const found = withoutOverlap(traps, findTraps(readable))
    const fresh = withoutOverlap(found, secondColons(readable, errors ?? []))
    if (fresh.length === traps.length) break
    traps = fresh
    lines.lineStarts.length = 0
    parsed = parseYaml(withoutTraps(text, traps), lines)
  }
  return { parsed, traps }
}

/** All that is known, and of what is found what overlaps nothing known. */
function withoutOverlap(known: readonly Trap[], found: readonly Trap[]): readonly Trap[] {
  const fresh = found.filter(({ start, end }) => trapWithin(known, start, end) === undefined)
  return [...known, ...fresh].toSorted((a, b) => a.start - b.start)
}

/** `message: Error: failed`: YAML sees a map in the value. */
function secondColons(text: string, errors: readonly YAMLError[]): readonly Trap[] {
  return errors.flatMap(({ code, pos: [start] }): Trap[] => {
    if (code !== 'BLOCK_AS_IMPLICIT_KEY') return []
    const [line = ''] = text.slice(start, start + 4000).split(/\r?\n/, 1)
    const value = line.replace(/\s#.*$/, '').trimEnd()
    return value === '' || !value.includes(': ')
      ? []
      : [
          {
            code: 'YAML_SYNTAX',
            start,
            end: start + value.length,
            message: 'a second ": " in one line: YAML sees a map in the value',
            hint: 'put the whole value in quotes',
          },
        ]
  })
}

/** YAML as it was written, with what the parser says about it. */
export interface ParsedYaml {
  /** Left out where parsing stopped after too many errors. */
  readonly document?: Document.Parsed
  readonly errors: readonly YAMLError[]
  /** Where a second document begins. */
  readonly second?: number
}

/** Collections inside one another: far more than a runbook may have, far less than the parser's recursion bears. */
const mostOpen = 64

/** The errors after these follow from them, and take time. */
const mostErrors = 500

const options = {
  version: '1.2',
  schema: 'core',
  intAsBigInt: true,
  resolveKnownTags: false,
  prettyErrors: false,
  // Comparing each key with all others takes quadratic time: to-plain.ts finds duplicates.
  uniqueKeys: false,
} as const

/** Parses a text. `tooDeep` is the position at which it opens too many collections. */
function parseYaml(text: string, lines: LineCounter): ParsedYaml | { readonly tooDeep: number } {
  const tokens = readTokens(text, lines)
  return Array.isArray(tokens) ? compose(tokens, text.length) : tokens
}

function readTokens(text: string, lines: LineCounter): CST.Token[] | { readonly tooDeep: number } {
  const parser = new Parser(lines.addNewLine)
  const tokens: CST.Token[] = []
  lines.addNewLine(0)
  let errors = 0
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token)
      if (token.type === 'error') errors++
    }
    if (errors > mostErrors) break
    if (parser.stack.length > mostOpen) return { tooDeep: parser.offset - lexeme.length }
  }
  for (const token of parser.end()) tokens.push(token)
  return tokens
}

/** The library makes an Error for each mistake: without stack traces a file full of them takes a tenth of the time. */
function compose(tokens: CST.Token[], length: number): ParsedYaml {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  const errors: YAMLError[] = []
  try {
    const documents = createComposer(errors).compose(tokens, true, length)
    const document = documents.next().value as Document.Parsed
    const following = documents.next().value as Document.Parsed | undefined
    const second = following?.range[0]
    return { document, errors: document.errors, ...(second === undefined ? {} : { second }) }
  } catch (error) {
    if (errors.length < mostErrors) throw error
    return { errors }
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** A composer that stops after too many errors, which the library has no option for. */
function createComposer(errors: YAMLError[]): Composer {
  const composer = new Composer(options)
  const inner = composer as unknown as {
    onError: (...parts: unknown[]) => void
    errors: readonly YAMLError[]
  }
  const { onError } = inner
  inner.onError = (...parts) => {
    onError(...parts)
    const last = inner.errors.at(-1)
    if (last && last !== errors.at(-1)) errors.push(last)
    if (errors.length >= mostErrors) throw new Error('too many errors')
  }
  return composer
}
