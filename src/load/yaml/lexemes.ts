import { Lexer } from 'yaml'

/** A piece of YAML text as its grammar splits it, before the whole is parsed. */
export interface Lexeme {
  readonly source: string
  readonly offset: number
  /** `plain`: a scalar without quotes. `block`: the lines of a block scalar. `mark`: everything else. */
  readonly kind: 'plain' | 'block' | 'quoted' | 'space' | 'mark'
}

/** Marks of the lexer that stand for no text. */
const documentStart = '\u0002'
const flowEnd = '\u0018'
const scalarStart = '\u001f'

/** The pieces of a text, also of one that is not valid YAML. */
export function readLexemes(text: string): readonly Lexeme[] {
  const lexemes: Lexeme[] = []
  let offset = 0
  let isScalar = false
  let isAfterHeader = false
  for (const source of new Lexer().lex(text)) {
    if (source === scalarStart) isScalar = true
    if (source === documentStart || source === flowEnd || source === scalarStart) continue
    const kind = isScalar ? (isAfterHeader ? 'block' : 'plain') : kindOf(source)
    lexemes.push({ source, offset, kind })
    offset += source.length
    if (isScalar) isAfterHeader = false
    else if (/^[|>]/.test(source)) isAfterHeader = true
    isScalar = false
  }
  return lexemes
}

function kindOf(source: string): Lexeme['kind'] {
  if (/^["']/.test(source)) return 'quoted'
  return /^\s/.test(source) ? 'space' : 'mark'
}
