import type { ActionDescription } from '../../core/action.ts'
import {
  anyType,
  type Field,
  listOf,
  mapOf,
  numberType,
  textType,
  typeOfSchema,
  type ValueType,
} from '../../core/expressions/index.ts'

const counts = {
  total: { type: numberType },
  succeeded: { type: numberType },
  failed: { type: numberType },
} as const satisfies Readonly<Record<string, Field>>

const savedFile = mapOf({ path: { type: textType }, bytes: { type: numberType }, sha256: { type: textType } })

const outputsOfActions = new WeakMap<ActionDescription, ValueType>()

/** What one call of an action leaves behind. */
export function outputsTypeOf(action: ActionDescription, savesAs: boolean): ValueType {
  if (savesAs && action.savesFile !== 'always') return savedFile
  const known = outputsOfActions.get(action) ?? readOutputs(action)
  outputsOfActions.set(action, known)
  return known
}

function readOutputs(action: ActionDescription): ValueType {
  const own = typeOfSchema(action.output)
  const { batch } = action
  if (batch === undefined) return own
  const failure = mapOf(
    {
      index: { type: numberType },
      code: { type: textType },
      message: { type: textType },
      ...(batch.itemKey === undefined ? {} : { [batch.itemKey]: { type: textType } }),
    },
    true,
  )
  const missing: Readonly<Record<string, Field>> = batch.isPositional
    ? {}
    : { missing: { type: listOf(textType) } }
  return { ...own, fields: { ...own.fields, ...counts, failures: { type: listOf(failure) }, ...missing } }
}

const failedItem = {
  isOptional: true,
  because: 'an item that failed has none',
  sureWhen: ['== succeeded'],
} as const

/** What a loop leaves behind. `item`: the outputs of one, if it has any. `isSure`: no item of it has failed. */
export function loopOutputs(item: ValueType | undefined, isSure: boolean): ValueType {
  const named = { index: { type: numberType }, item: { type: anyType } }
  const failure = mapOf({
    ...named,
    code: { type: textType },
    message: { type: textType },
  })
  const entry = mapOf({
    ...named,
    status: { type: textType },
    ...(item === undefined ? {} : { outputs: { type: item, ...(isSure ? {} : failedItem) } }),
    error: {
      type: mapOf({ code: { type: textType }, message: { type: textType } }),
      isOptional: true,
      because: 'an item that succeeded has none',
      sureWhen: ['== failed'],
    },
  })
  return mapOf({ ...counts, failures: { type: listOf(failure) }, items: { type: listOf(entry) } })
}
