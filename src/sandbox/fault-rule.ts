/** What a fault rule looks like: the schema is the reference, the type follows it. */
import { type OperationId, routes } from './body-schemas.ts'
import { isObject, type Json, type JsonObject } from './json.ts'

export interface FaultRule {
  /** `E1` … `E9`, `catalog`, an operation's path without the first slash, or `*`. */
  readonly operation: string
  readonly condition?: { readonly key?: string; readonly body?: JsonObject }
  /** Applies to so many calls, then no more. */
  readonly times?: number
  /** Applies to every so many-th call that matches. */
  readonly every?: number
  /** Holds the answer back. */
  readonly delay_ms?: number
  /** For faults that replace the answer: executes the call all the same. */
  readonly executed?: boolean
  readonly error?:
    | string
    | { readonly code: string; readonly message?: string; readonly retry_after?: number }
  readonly close_before?: true
  readonly close_after?: true
  readonly html?: number
  readonly broken_json?: true
  readonly truncated_stream?: { readonly lines: number; readonly end?: StreamEnd }
  readonly slow_stream?: { readonly line_delay_ms: number }
  readonly wrong_content_type?: string
  readonly redirect?: string
  readonly empty_body?: true
  readonly huge_body?: number
  readonly target_error?: string | (JsonObject & { readonly code: string })
  readonly tool_error?: { readonly tool?: string; readonly code: string; readonly message?: string }
  readonly newer_shape?: true
}

/** How a truncated stream ends. */
export type StreamEnd = 'close' | 'half_line' | 'error_line' | 'quiet'

/** The kinds of fault; `isAnswerOnly`: the call is executed, what comes back is wrong. */
const kinds = {
  error: { isAnswerOnly: false },
  close_before: { isAnswerOnly: false },
  close_after: { isAnswerOnly: true },
  html: { isAnswerOnly: false },
  broken_json: { isAnswerOnly: true },
  truncated_stream: { isAnswerOnly: true, operations: ['E6'] },
  slow_stream: { isAnswerOnly: true, operations: ['E6'] },
  wrong_content_type: { isAnswerOnly: true },
  redirect: { isAnswerOnly: false },
  empty_body: { isAnswerOnly: true },
  huge_body: { isAnswerOnly: true },
  target_error: { isAnswerOnly: true, operations: ['E4', 'catalog'] },
  tool_error: { isAnswerOnly: true, operations: ['E4'] },
  newer_shape: { isAnswerOnly: true },
} as const satisfies Readonly<
  Record<string, { readonly isAnswerOnly: boolean; readonly operations?: readonly OperationId[] }>
>

type FaultKind = keyof typeof kinds

const kindNames = Object.keys(kinds) as FaultKind[]

/** What kind of fault a rule is; nothing for a mere delay. */
export function kindOf(rule: FaultRule): FaultKind | undefined {
  return kindNames.find((kind) => rule[kind] !== undefined)
}

/** Whether the call is executed although the rule applies. */
export function isExecuted(rule: FaultRule): boolean {
  const kind = kindOf(rule)
  return kind === undefined || kinds[kind].isAnswerOnly || (kind !== 'close_before' && rule.executed === true)
}

/** Whether a rule can apply to an operation at all. */
export function appliesTo(rule: FaultRule, id: OperationId): boolean {
  const kind = kindOf(rule)
  const traits = kind && kinds[kind]
  if (traits && 'operations' in traits && !(traits.operations as readonly string[]).includes(id)) return false
  if (rule.operation === '*' || rule.operation === id) return true
  return routes.some((route) => route.id === id && route.name === rule.operation)
}

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
  if (found.length === 0 && rule.delay_ms === undefined) {
    return `has no fault; give one of delay_ms, ${kindNames.join(', ')}`
  }
  if (!routes.some(({ id }) => appliesTo(rule, id))) return `${found[0]} does not fit ${rule.operation}`
  return undefined
}

/** Whether `actual` holds all of `wanted`: fields of objects, and for each entry of a list one that holds it. */
export function contains(actual: Json | undefined, wanted: Json): boolean {
  if (Array.isArray(wanted)) {
    const entries: readonly Json[] = wanted
    return Array.isArray(actual) && entries.every((entry) => actual.some((item) => contains(item, entry)))
  }
  if (isObject(wanted)) {
    return isObject(actual) && Object.entries(wanted).every(([name, value]) => contains(actual[name], value))
  }
  return actual === wanted
}
