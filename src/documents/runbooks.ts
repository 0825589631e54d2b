import type { JsonSchema } from '../core/json.ts'
import { anyObject, arrayOf, dictionaryOf, objectOf, oneWord, partly, type Schema, text } from './describe.ts'
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
  /** The source. */
  readonly text?: string
}

const summary = {
  name: text,
  file: text,
  'title?': text,
  'description?': text,
  labels: dictionaryOf(text),
  triggers: arrayOf(
    partly<TriggerDocument>({
      ...objectOf<Pick<TriggerDocument, 'type'>>({ type: oneWord('incident', 'schedule') }),
      additionalProperties: true,
    }),
  ),
  'problem?': objectOf<NonNullable<RunbookSummary['problem']>>(
    { message: text, hints: arrayOf(text) },
    'Why it cannot be started.',
  ),
} as const
export const runbookSummarySchema: Schema<RunbookSummary> = objectOf<RunbookSummary>(summary)

export interface Runbooks {
  readonly runbooks: readonly RunbookSummary[]
}
export const runbooksSchema: Schema<Runbooks> = objectOf<Runbooks>({
  runbooks: arrayOf(runbookSummarySchema),
})

export const runbookSchema: Schema<Runbook> = objectOf<Runbook>({
  ...summary,
  'plan_hash?': text,
  'inputs?': partly(anyObject),
  'secrets?': arrayOf(text),
  'text?': text,
})
