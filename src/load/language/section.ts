import type { JsonSchema, JsonValue } from '../../core/json.ts'
import { runbookLimits } from '../limits.ts'

/** A kind of map in a runbook, with keys of its own. */
export type SectionName =
  | 'document'
  | 'defaults'
  | 'trigger'
  | 'cooldown'
  | 'max-starts'
  | 'concurrency'
  | 'step'
  | 'for-each'
  | 'retry'
  | 'throttle'
  | 'repeat'
  | 'turns'
  | 'expectation'
  | 'catch'
  | 'branch'

/** What a key takes. `seesInputs`: also an expression over the inputs, which is evaluated before the first step. */
export type KeyValue =
  /** Data that is fixed when the runbook is loaded. */
  | { readonly kind: 'data'; readonly schema: JsonSchema; readonly seesInputs?: true }
  /** Words for people; never evaluated. */
  | { readonly kind: 'words' }
  /** Such as 30s; fixed when the runbook is loaded. */
  | { readonly kind: 'duration'; readonly seesInputs?: true }
  /** Exactly one whole expression that is true or false. */
  | { readonly kind: 'condition' }
  /** Any value; expressions inside are evaluated when the run reaches them. */
  | { readonly kind: 'template'; readonly schema: JsonSchema }
  | { readonly kind: 'map'; readonly section: SectionName }
  | { readonly kind: 'list'; readonly section: SectionName; readonly least: number; readonly most: number }

/** One key of the language: validation, the editor schema and the reference all read this record. */
export interface KeyRule {
  readonly key: string
  readonly value: KeyValue
  /** One or two sentences for people. */
  readonly summary: string
  readonly isRequired?: boolean
  readonly default?: JsonValue
  readonly example?: JsonValue
}

/** A section with its keys. */
export interface Section {
  readonly name: SectionName
  /** How messages and the reference call it. */
  readonly title: string
  readonly summary: string
  readonly keys: readonly KeyRule[]
}

const text: JsonSchema = { type: 'string', minLength: 1 }

export const words: KeyValue = { kind: 'words' }
export const durationValue: KeyValue = { kind: 'duration' }
export const condition: KeyValue = { kind: 'condition' }
export const template: KeyValue = { kind: 'template', schema: {} }
export const textTemplate: KeyValue = { kind: 'template', schema: text }
export const mapTemplate: KeyValue = { kind: 'template', schema: { type: 'object' } }

/** Data of that schema, fixed when the runbook is loaded. */
export function data(schema: JsonSchema): KeyValue {
  return { kind: 'data', schema }
}

/** A whole number in that range, fixed when the runbook is loaded. */
export function countValue(minimum: number, maximum: number): KeyValue {
  return data({ type: 'integer', minimum, maximum })
}

/** A whole number in that range, written out or made of the inputs. */
export function countSetting(minimum: number, maximum: number): KeyValue {
  return { kind: 'data', schema: { type: 'integer', minimum, maximum }, seesInputs: true }
}

/** A duration, written out or made of the inputs. */
export const durationSetting: KeyValue = { kind: 'duration', seesInputs: true }

/** One of these words, each with what it means; fixed when the runbook is loaded. */
export function oneOf(values: Readonly<Record<string, string>>): KeyValue {
  return data({ type: 'string', enum: Object.keys(values), enumDescriptions: Object.values(values) })
}

export function map(section: SectionName): KeyValue {
  return { kind: 'map', section }
}

export function list(section: SectionName, least = 1, most: number = runbookLimits.steps): KeyValue {
  return { kind: 'list', section, least, most }
}

/** A count, a percentage or `all`. */
export const toleranceValue: KeyValue = data({
  anyOf: [
    { title: 'a count', type: 'integer', minimum: 0 },
    { title: 'a percentage, or all', type: 'string', pattern: '^(\\d{1,2}(\\.\\d+)?%|100%|all)$' },
  ],
  errorMessage: 'is a count, a percentage such as 25%, or all',
})

/** Error codes. */
export const codesValue: KeyValue = data({ type: 'array', minItems: 1, items: text })

/** Keys, values and fields that the language does not have any more, and what to write instead. */
export const removed: ReadonlyMap<string, string> = new Map([
  [
    'catch',
    "give it to a block around the steps (steps: […]); or use finally with if: ${{ run.outcome == 'failed' }}, which keeps the failure",
  ],
  ['triggers.jitter', 'give each runbook a minute of its own, such as cron: 7 8 * * *'],
  [
    'triggers.start-at',
    'pause the schedule until then: "opsbook schedules pause NAME"; cron names its times',
  ],
  [
    'triggers.end-at',
    'pause the schedule from then on: "opsbook schedules pause NAME"; or remove the trigger',
  ],
  [
    'on-conflict: replace',
    'use wait, and end the active run: "opsbook cancel RUN"; a schedule has overlap: cancel-other',
  ],
  ['then: succeed', 'leave it out: the failure counts as handled'],
  [
    'steps.ID.attempts',
    'expressions do not count attempts; "opsbook show RUN" does, and outputs.turns of a block with repeat counts its turns',
  ],
])
