import type { YAMLError } from 'yaml'
import { readLexemes } from './lexemes.ts'

/** Where a quote or a bracket begins whose end is missing: the parser notices it much later. */
export interface Unclosed {
  readonly start: number
  readonly message: string
  readonly hint: string
}

const closing: Readonly<Record<string, string>> = { '[': ']', '{': '}' }

/** What is open where the parser met an error, if it says that something is. */
export function findUnclosed(text: string, { message, pos: [at] }: YAMLError): Unclosed | undefined {
  const isQuote = /^Missing closing ['"]quote/.test(message)
  if (!isQuote && !/end with a [\]}]/.test(message)) return undefined
  const open: { readonly offset: number; readonly source: string }[] = []
  for (const { source, offset, kind } of readLexemes(text)) {
    if (offset > at) break
    if (isQuote && kind === 'quoted' && offset + source.length >= at)
      return unclosed(offset, source.slice(0, 1))
    if (source === '[' || source === '{') open.push({ offset, source })
    else if (source === ']' || source === '}') open.pop()
  }
  const last = open.at(-1)
  return last === undefined ? undefined : unclosed(last.offset, last.source)
}

function unclosed(start: number, mark: string): Unclosed {
  return { start, message: `this ${mark} is never closed`, hint: `close it with ${closing[mark] ?? mark}` }
}
