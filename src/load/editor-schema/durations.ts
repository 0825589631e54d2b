import type { JsonSchema } from '../../core/json.ts'

/** A duration as a runbook writes it. */
export const durationSchema: JsonSchema = {
  type: 'string',
  pattern: '^\\d{1,9}(ms|s|m|h|d)$',
  patternErrorMessage: 'Expected a duration, such as 500ms, 30s, 15m, 2h or 7d',
}
