import type { JsonSchema } from '../../core/json.ts'

/** One whole expression, such as `${{ inputs.host }}`. */
export const wholeExpression: JsonSchema = {
  title: 'expression',
  type: 'string',
  pattern: '^\\s*\\$\\{\\{[\\s\\S]*\\}\\}\\s*$',
  patternErrorMessage: 'Expected one whole expression: ${{ … }}',
}

/** A text with an expression somewhere in it. */
const textWithExpression: JsonSchema = {
  title: 'text with an expression',
  type: 'string',
  pattern: '\\$\\{\\{',
  patternErrorMessage: 'Expected an expression: ${{ … }}',
}

/** Rules that a text with a gap in it cannot be held to. */
const textRules: readonly string[] = ['pattern', 'maxLength', 'minLength', 'format', 'enum', 'const']

/** What is about the value rather than a rule for it stays outside, where editors look for it. */
const aboutValue: readonly string[] = ['title', 'description', 'examples', 'deprecationMessage']

/** Above the help, editors name what a value can be. */
const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  array: 'list',
  object: 'map',
}

/** A value that is evaluated: what the schema says, or an expression that will be it. */
export function orExpression(schema: JsonSchema): JsonSchema {
  const rules = Object.entries(schema).filter(([keyword]) => !aboutValue.includes(keyword))
  const isText = schema['type'] === 'string' || (schema['type'] === undefined && hasTextRule(schema))
  const takesAny = rules.length === 0 || (isText && !hasTextRule(schema))
  if (takesAny) return schema
  const about = Object.entries(schema).filter(([keyword]) => aboutValue.includes(keyword))
  return {
    ...Object.fromEntries(about),
    anyOf: [
      { title: schema['title'] ?? kinds[String(schema['type'])], ...Object.fromEntries(rules) },
      isText ? textWithExpression : wholeExpression,
    ],
  }
}

function hasTextRule(schema: JsonSchema): boolean {
  return textRules.some((rule) => schema[rule] !== undefined)
}

/** A duration as a runbook writes it. */
export const durationSchema: JsonSchema = {
  type: 'string',
  pattern: '^\\d{1,9}(ms|s|m|h|d)$',
  patternErrorMessage: 'Expected a duration, such as 500ms, 30s, 15m, 2h or 7d',
}
