import { routes } from '../body-schemas.ts'
import { appliesTo, type FaultRule, kindNames } from '../fault-rule.ts'
import type { JsonObject } from '../json.ts'

const yes = { const: true }
const positive = { type: 'integer', minimum: 1 }
const milliseconds = { type: 'number', minimum: 0, maximum: 3_600_000 }
const code = { type: 'string', minLength: 1 }

/** The schema of the list that `POST /_sandbox/faults` takes. */
export const faultsSchema: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    required: ['operation'],
    additionalProperties: false,
    properties: {
      operation: { enum: ['*', ...routes.flatMap(({ id, name }) => [id, name])] },
      condition: {
        type: 'object',
        additionalProperties: false,
        properties: { key: { type: 'string' }, body: { type: 'object' } },
      },
      times: positive,
      every: positive,
      delay_ms: milliseconds,
      executed: { type: 'boolean' },
      error: {
        type: ['string', 'object'],
        minLength: 1,
        required: ['code'],
        additionalProperties: false,
        properties: { code, message: { type: 'string' }, retry_after: { type: 'number', minimum: 0 } },
      },
      close_before: yes,
      close_after: yes,
      html: { type: 'integer', minimum: 200, maximum: 599 },
      broken_json: yes,
      truncated_stream: {
        type: 'object',
        required: ['lines'],
        additionalProperties: false,
        properties: {
          lines: { type: 'integer', minimum: 0 },
          end: { enum: ['close', 'half_line', 'error_line', 'quiet'] },
        },
      },
      slow_stream: {
        type: 'object',
        required: ['line_delay_ms'],
        additionalProperties: false,
        properties: { line_delay_ms: milliseconds },
      },
      wrong_content_type: { type: 'string', pattern: '^[!-~ ]+$' },
      redirect: { type: 'string', pattern: '^[!-~]+$' },
      empty_body: yes,
      huge_body: { type: 'integer', minimum: 1 },
      target_error: { type: ['string', 'object'], minLength: 1, required: ['code'], properties: { code } },
      tool_error: {
        type: 'object',
        required: ['code'],
        additionalProperties: false,
        properties: { tool: { type: 'string' }, code, message: { type: 'string' } },
      },
      newer_shape: yes,
    },
  },
}

/** What the schema cannot say about a rule, or nothing when all is well. */
export function findRuleProblem(rule: FaultRule): string | undefined {
  const found = kindNames.filter((kind) => rule[kind] !== undefined)
  if (found.length > 1) return `has ${found.join(' and ')}; give one of them`
  if (found.length === 0 && rule.delay_ms === undefined)
    return `has no fault; give one of delay_ms, ${kindNames.join(', ')}`
  if (!routes.some(({ id }) => appliesTo(rule, id))) return `${found[0]} does not fit ${rule.operation}`
  return undefined
}
