import type { JsonSchema } from '../../core/json.ts'

/** A text that says where something secret is found. */
export const reference: JsonSchema = {
  type: 'string',
  pattern: '^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$',
  patternErrorMessage: 'Expected env:NAME or file:PATH',
}
