import type { JsonSchema } from '../core/json.ts'
import { anyObject, arrayOf, oneWord, partly, record, recordOf, type Schema, text } from './describe.ts'
import type { TriggerDocument } from './plan.ts'

/** A runbook of the folder of the server. */
export interface RunbookSummary {
  readonly name: string
  readonly file: string
  readonly title?: string
  readonly description?: string
  readonly labels: Readonly<Record<string, string>>
  readonly triggers: readonly TriggerDocument[]
  /** Why it cannot be started. */
  readonly problem?: { readonly message: string; readonly hints: readonly string[] }
}

/** A runbook, with what a start of it needs. */
export interface Runbook extends RunbookSummary {
  /** Left out, as what follows: it cannot be loaded. */
  readonly plan_hash?: string
  readonly inputs?: JsonSchema
  readonly secrets?: readonly string[]
}

const summary = {
  name: text,
  file: text,
  'title?': text,
  'description?': text,
  labels: recordOf(text),
  triggers: arrayOf(
    partly<TriggerDocument>({
      ...record<Pick<TriggerDocument, 'type'>>({ type: oneWord('incident', 'schedule') }),
      additionalProperties: true,
    }),
  ),
  'problem?': record<NonNullable<RunbookSummary['problem']>>(
    { message: text, hints: arrayOf(text) },
    'Why it cannot be started.',
  ),
} as const
export const runbookSummary: Schema<RunbookSummary> = record<RunbookSummary>(summary)

export interface Runbooks {
  readonly runbooks: readonly RunbookSummary[]
}
export const runbooks: Schema<Runbooks> = record<Runbooks>({ runbooks: arrayOf(runbookSummary) })

export const runbook: Schema<Runbook> = record<Runbook>({
  ...summary,
  'plan_hash?': text,
  'inputs?': partly(anyObject),
  'secrets?': arrayOf(text),
})
