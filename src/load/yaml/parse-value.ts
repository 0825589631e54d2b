import type { JsonValue } from '../../core/json.ts'
import { readValue } from '../source.ts'

/** A value, or why it cannot be read. */
export type ParsedValue =
  | { readonly value: JsonValue }
  | { readonly problem: string; readonly hint?: string; readonly line: number; readonly column: number }

/** Reads one value as YAML 1.2, which includes JSON. Numbers are never rounded. */
export function parseValue(text: string): ParsedValue {
  const read = readValue(text)
  if ('value' in read) return read
  const { message, hint, range } = read.problem
  const { line, column } = range.start
  return { problem: message, ...(hint === undefined ? {} : { hint }), line, column }
}

/** The text without changes: `0001` is no number here. A quoted text is read as YAML. */
export function readInputText(text: string): string {
  if (!/^\s*(["']).*\1\s*$/s.test(text)) return text
  const parsed = parseValue(text)
  return 'value' in parsed && typeof parsed.value === 'string' ? parsed.value : text
}
