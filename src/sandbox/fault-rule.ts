import { type OperationId, routes } from './body-schemas.ts'
import type { JsonObject } from './json.ts'

/** One rule of the fault list; `control/check-faults.ts` holds its schema. */
export interface FaultRule {
  /** `E1` … `E9`, `catalog`, an operation's path without the first slash, or `*`. */
  readonly operation: string
  readonly condition?: { readonly key?: string; readonly body?: JsonObject }
  /** Applies to this many calls, then no more. */
  readonly times?: number
  /** Applies to each nth call that matches. */
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

/** The names of the faults: a rule has one of them, or a mere `delay_ms`. */
type FaultKind = Exclude<
  keyof FaultRule,
  'operation' | 'condition' | 'times' | 'every' | 'delay_ms' | 'executed'
>

interface FaultTraits {
  /** The call is executed; what comes back is wrong. */
  readonly isAnswerOnly: boolean
  /** The only operations that it fits. */
  readonly operations?: readonly OperationId[]
}

const kinds: Readonly<Record<FaultKind, FaultTraits>> = {
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
}

export const kindNames: readonly FaultKind[] = Object.keys(kinds) as FaultKind[]

/** What kind of fault a rule is; nothing for a mere delay. */
export function faultKindOf(rule: FaultRule): FaultKind | undefined {
  return kindNames.find((kind) => rule[kind] !== undefined)
}

/** Whether the call is executed although the rule applies. */
export function isFaultExecuted(rule: FaultRule): boolean {
  const kind = faultKindOf(rule)
  return kind === undefined || kinds[kind].isAnswerOnly || (kind !== 'close_before' && rule.executed === true)
}

/** Whether a rule can apply to an operation at all. */
export function appliesTo(rule: FaultRule, id: OperationId): boolean {
  const kind = faultKindOf(rule)
  const operations = kind && kinds[kind].operations
  if (operations && !operations.includes(id)) return false
  if (rule.operation === '*' || rule.operation === id) return true
  return routes.some((route) => route.id === id && route.name === rule.operation)
}
