import {
  type Field,
  listOf,
  mapOf,
  numberType,
  textType,
  type ValueType,
} from '../../core/expressions/index.ts'

/** An error, as `catch` and `when` see it. */
export const errorType: ValueType = mapOf({
  code: { type: textType },
  message: { type: textType },
  step: { type: textType },
  status: { type: numberType },
  request_id: { type: textType, isOptional: true, because: 'not every error has a request' },
})

const outcomes: readonly string[] = ['succeeded', 'failed', 'cancelled', 'unknown']

/** The fields that `run` has everywhere. The address of each callback that a step waits for is under its name. */
function runFields(callbacks: readonly string[]): Readonly<Record<string, Field>> {
  return {
    id: { type: textType },
    name: { type: textType },
    started_at: { type: textType },
    url: {
      type: textType,
      isOptional: true,
      because: 'opsbook.yaml can have no "public-url" under "console"',
    },
    callbacks: { type: mapOf(Object.fromEntries(callbacks.map((name) => [name, { type: textType }]))) },
  }
}

/** The fields that `run` has in the `finally` of a runbook only. */
const endFields: Readonly<Record<string, Field>> = {
  outcome: { type: { kinds: ['text'], values: outcomes } },
  error: {
    type: errorType,
    isOptional: true,
    because: 'a run that succeeded has no error',
    sureWhen: ['== failed', '== cancelled', '!= succeeded'],
  },
  failed_steps: { type: listOf(textType) },
  took_seconds: { type: numberType },
}

const because = 'it is known in the finally of the runbook'
const laterFields = Object.entries(endFields).map(
  ([name, { type }]) => [name, { type, isOptional: true, because }] as const,
)
/** What steps see as `run`. */
export function runType(callbacks: readonly string[]): ValueType {
  return mapOf({ ...runFields(callbacks), ...Object.fromEntries(laterFields) })
}

/** What the key of `concurrency` sees as `run`: it is computed before the run has a page. */
export function keyRunType(): ValueType {
  const { url: _, ...fields } = runFields([])
  return mapOf({ ...fields, ...Object.fromEntries(laterFields) })
}

/** What the `finally` of a runbook sees as `run`. */
export function endedRunType(callbacks: readonly string[]): ValueType {
  return mapOf({ ...runFields(callbacks), ...endFields })
}
