import { isJsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts'
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

/** Reads a value as `--set` does. The items of a list can also be written without brackets. */
export function readField(
  text: string,
  { type, items }: JsonSchema,
): { readonly value: JsonValue } | { readonly problem: string } {
  if (type === 'string') return { value: text }
  if (type !== 'array' || text.startsWith('[')) return parseValue(text)
  const parts = text.split(',').map((part) => part.trim())
  const item = isJsonObject(items) ? items : {}
  const read = parts.filter((part) => part !== '').map((part) => readField(part, item))
  const problem = read.find((one) => 'problem' in one)
  if (problem && 'problem' in problem) return problem
  return { value: read.flatMap((one) => ('value' in one ? [one.value] : [])) }
}
