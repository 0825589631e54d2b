import { isJsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts'
import { readValue } from '../source.ts'

/** A value, or why it cannot be read. */
export type ParsedValue =
  | { readonly value: JsonValue }
  | { readonly problem: string; readonly hint?: string; readonly line: number; readonly column: number }

/** How numbers can be written: as JSON writes them, since with another spelling a text can be meant, or in any way. */
export type Spelling = 'of JSON' | 'any'

/** Reads one value as YAML 1.2, which includes JSON. Numbers are never rounded. */
export function parseValue(text: string, spelling: Spelling = 'of JSON'): ParsedValue {
  const read = readValue(text, spelling === 'any')
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
  schema: JsonSchema,
): { readonly value: JsonValue } | { readonly problem: string } {
  if (takesOnlyText(schema)) return { value: text }
  const { type, items } = schema
  if (type !== 'array' || text.startsWith('[')) return parseValue(text, spellingFor(schema))
  const parts = text.split(',').map((part) => part.trim())
  const item = isJsonObject(items) ? items : {}
  const read = parts.filter((part) => part !== '').map((part) => readField(part, item))
  const problem = read.find((one) => 'problem' in one)
  if (problem && 'problem' in problem) return problem
  return { value: read.flatMap((one) => ('value' in one ? [one.value] : [])) }
}

/** Whether each value that a schema allows is a text, as far as its own keywords say. */
export function takesOnlyText(schema: JsonSchema): boolean {
  const listed = listedIn(schema)
  return schema['type'] === 'string' || listed?.every((value) => typeof value === 'string') === true
}

/** Any spelling, where a schema allows no text, nor what can hold one. */
export function spellingFor(schema: JsonSchema): Spelling {
  const { type, items } = schema
  if (type === 'array' && isJsonObject(items)) return spellingFor(items)
  const types = type === undefined ? listedIn(schema)?.map((value) => typeof value) : [type].flat()
  return types?.some((one) => /^(string|array|object)$/.test(String(one))) === false ? 'any' : 'of JSON'
}

function listedIn({ enum: listed, const: only }: JsonSchema): readonly unknown[] | undefined {
  if (Array.isArray(listed) && listed.length > 0) return listed
  return only === undefined ? undefined : [only]
}
