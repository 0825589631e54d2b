import { Composer, type CST, type Document, Lexer, type LineCounter, Parser, type YAMLError } from 'yaml'

/** YAML as it was written, with what the parser says about it. */
export interface ParsedYaml {
  /** Left out where there are so many errors that the rest was not looked at. */
  readonly document?: Document.Parsed
  readonly errors: readonly YAMLError[]
  /** Where a second document begins. */
  readonly second?: number
}

/** Collections inside one another: far more than a runbook may have, far less than the parser's recursion bears. */
const mostOpen = 64

/** More than anybody reads. What comes after them follows from them, and takes time. */
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

/** Parses a text. `tooDeep` is where it opens more collections than anybody needs. */
export function parseYaml(text: string, lines: LineCounter): ParsedYaml | { readonly tooDeep: number } {
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

/** A composer that gives up after too many errors, which the library has no option for. */
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
