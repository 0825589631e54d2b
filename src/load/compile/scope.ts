import {
  type Expression,
  type Field,
  guardsOf,
  mapOf,
  type Names,
  numberType,
  truthOf,
  typeOfSchema,
  type ValueType,
} from '../../core/expressions/index.ts'
import { isJsonObject, type JsonSchema } from '../../core/json.ts'
import { declaredInputs } from '../inputs/declared-inputs.ts'
import { errorType, runType } from './run-type.ts'

/** What expressions see at one place of a runbook. */
export interface TypeScope {
  readonly names: Readonly<Record<string, ValueType>>
  readonly steps: VisibleSteps
  readonly guarded: ReadonlySet<string>
  /** Names of the items of all loops around the place; a block with `repeat` is called {@link turnIndex}. */
  readonly loops: readonly string[]
  /** No run gets there, since a condition around the place is never true. */
  readonly isUnreached?: true
  /** Which names there are, for an author who tries another. Left out: the names that there are elsewhere say it. */
  readonly hint?: string
}

/**
 * The steps that can be seen. Each block has a record of its own, which grows as its steps are compiled one after the
 * other: a copy for each step would take quadratic time.
 */
interface VisibleSteps {
  readonly fields: Record<string, Field>
  /** Ids by the `if` of the steps, as written. */
  readonly byCondition: Map<string, readonly string[]>
  /** How they look from `catch` and `finally`, where they may have failed. */
  readonly failed: Map<string, Field>
}

/** The position of a turn, as expressions read it. */
export const turnIndex = 'turn.index'

/** Why the outputs of a step can be missing although it is seen, and what of its status says that they are there. */
const absences = {
  caught: { because: 'the step has no outputs when its failure is caught', sureWhen: [] },
  failed: { because: 'a step that failed may have no outputs', sureWhen: ['== succeeded'] },
  tolerated: { because: 'the step may have failed', sureWhen: ['== succeeded'] },
  skipped: {
    because: 'the step is skipped when its condition is false',
    sureWhen: ['== succeeded', '!= skipped'],
  },
  unchosen: {
    because: 'the step is skipped when no branch runs',
    sureWhen: ['== succeeded', '!= skipped'],
  },
} as const satisfies Readonly<Record<Absence, Pick<Field, 'because' | 'sureWhen'>>>

export type Absence = 'caught' | 'failed' | 'tolerated' | 'skipped' | 'unchosen'

/** What is known about a step that can be seen. */
export interface StepFacts {
  /** Undefined: it has none. */
  readonly outputs: ValueType | undefined
  /** What it leaves behind where it has failed. @default outputs */
  readonly failedOutputs?: ValueType | undefined
  /** Its `if`, as written. */
  readonly condition?: string
  /** Why its outputs can be missing although it is seen. */
  readonly absent?: readonly Absence[]
  /** It is a choice, and says which branch counted. */
  readonly hasBranch?: boolean
  /** It is seen from its own `catch`. */
  readonly hasFailed?: true
}

/** What the first step of a runbook sees. `callbacks`: the names of all of them. */
export function documentScope(inputs: JsonSchema | undefined, callbacks: readonly string[]): TypeScope {
  return openBlock(scopeOf({ inputs: inputsType(inputs), run: runType(callbacks) }))
}

/** A scope of names alone: not even `steps` is one of them. */
export function scopeOf(names: Readonly<Record<string, ValueType>>): TypeScope {
  const steps = { fields: {}, byCondition: new Map(), failed: new Map() }
  return { names, steps, guarded: new Set(), loops: [] }
}

function withSteps(scope: TypeScope, steps: VisibleSteps): TypeScope {
  return { ...scope, names: { ...scope.names, steps: mapOf(steps.fields) }, steps }
}

/** The names that the checker takes. */
export function namesOf({ names, guarded }: TypeScope): Names {
  return { types: names, guarded }
}

export function withTypes(scope: TypeScope, names: Readonly<Record<string, ValueType>>): TypeScope {
  return { ...scope, names: { ...scope.names, ...names } }
}

/** The scope of a block inside another: it sees what is outside, and what `addStep` adds is seen inside only. */
export function openBlock(scope: TypeScope): TypeScope {
  const { fields, byCondition, failed } = scope.steps
  return withSteps(scope, {
    fields: { ...fields },
    byCondition: new Map(byCondition),
    failed: new Map(failed),
  })
}

/** Lets the steps after this one see it, under each of its names. */
export function addStep({ steps }: TypeScope, ids: readonly string[], facts: StepFacts): void {
  const { condition, outputs, failedOutputs = outputs, absent = [] } = facts
  const field = stepField(facts)
  const failed = stepField({ ...facts, outputs: failedOutputs, absent: [...absent, 'failed'] })
  for (const id of ids) {
    steps.fields[id] = field
    steps.failed.set(id, failed)
  }
  if (condition === undefined) return
  steps.byCondition.set(condition, [...(steps.byCondition.get(condition) ?? []), ...ids])
}

/** Inside a step, what its condition makes sure of is there. */
export function withCondition(scope: TypeScope, condition: Expression | undefined): TypeScope {
  if (condition === undefined) return scope
  const alike = scope.steps.byCondition.get(condition.source) ?? []
  const notSkipped = alike.map((id) => `steps.${id} != skipped`)
  const guarded = new Set([...scope.guarded, ...guardsOf(condition.tree), ...notSkipped])
  return { ...scope, guarded, ...(truthOf(condition) === false ? { isUnreached: true } : {}) }
}

/** The same where a condition is certainly false: after a branch, or a step that ends its block when it is true. */
export function withoutCondition(scope: TypeScope, condition: Expression | undefined): TypeScope {
  if (condition === undefined) return scope
  const guarded = new Set([...scope.guarded, ...guardsOf(condition.tree, false)])
  return { ...scope, guarded, ...(truthOf(condition) === true ? { isUnreached: true } : {}) }
}

/** From `catch` and `finally`, each of these steps may never have been reached. */
export function withAbsentSteps(scope: TypeScope, inner: TypeScope): TypeScope {
  // A step without steps of its own adds none.
  if (inner.steps.fields === scope.steps.fields) return openBlock(scope)
  const fields = { ...scope.steps.fields }
  for (const [id, field] of Object.entries(inner.steps.fields)) {
    if (Object.hasOwn(fields, id)) continue
    const failed = inner.steps.failed.get(id) ?? field
    fields[id] = { type: failed.type, isOptional: true, because: 'the step may never have been reached' }
  }
  const { byCondition, failed } = inner.steps
  return withSteps(scope, { fields, byCondition: new Map(byCondition), failed: new Map(failed) })
}

/**
 * After a choice, the steps of each branch may never have been reached. `branches`: the scopes after their steps.
 * `runsOne`: one of them has run, so that the last one has where the others have not.
 */
export function withPossibleSteps(
  scope: TypeScope,
  branches: readonly TypeScope[],
  runsOne: boolean,
): TypeScope {
  const after = openBlock(scope)
  const idsOf = ({ steps }: TypeScope): readonly string[] =>
    Object.keys(steps.fields).filter((id) => !Object.hasOwn(scope.steps.fields, id))
  const ids = branches.map(idsOf)
  for (const [index, branch] of branches.entries()) {
    const sureWithout = runsOne ? ids.toSpliced(index, 1) : []
    const possible = ({ type }: Field): Field => ({
      type,
      isOptional: true,
      because: 'another branch may have run',
      sureWithout,
    })
    for (const id of ids[index] ?? []) {
      const field = branch.steps.fields[id]
      const failed = branch.steps.failed.get(id)
      if (field) after.steps.fields[id] = possible(field)
      if (failed) after.steps.failed.set(id, possible(failed))
    }
  }
  return after
}

const statuses: readonly string[] = ['succeeded', 'failed', 'skipped', 'cancelled', 'unknown']

const stepError: Field = {
  type: errorType,
  isOptional: true,
  because: 'a step that succeeded has no error',
  sureWhen: ['== failed'],
}

/** A step that has failed is seen where its failure is tolerated, or from `catch` and `finally`. */
function stepField({ outputs, absent = [], hasBranch, hasFailed }: StepFacts): Field {
  const mayHaveFailed = absent.includes('tolerated') || absent.includes('failed')
  const maybe = absenceOf(absent)
  const type = mapOf({
    status: { type: { kinds: ['text'], values: statuses } },
    ...(mayHaveFailed ? { error: hasFailed ? { type: errorType } : stepError } : {}),
    ...(outputs === undefined ? {} : { outputs: { type: outputs, ...maybe } }),
    ...(hasBranch ? { branch: { type: numberType, ...maybe } } : {}),
  })
  return { type }
}

/** Of several reasons the one is named that the fewest guards exclude. */
function absenceOf(absent: readonly Absence[]): Omit<Field, 'type'> {
  const found = Object.entries(absences).find(([name]) => absent.includes(name as Absence))
  return found === undefined ? {} : { isOptional: true, ...found[1] }
}

/** Whether inputs can be there that `properties` does not name. */
function allowsOthers(schema: JsonSchema): boolean {
  const { additionalProperties = false, patternProperties, properties } = schema
  const named = isJsonObject(properties) ? properties : {}
  const hasPatterns = patternProperties !== undefined
  return (
    additionalProperties !== false ||
    hasPatterns ||
    declaredInputs(schema).some((name) => !Object.hasOwn(named, name))
  )
}

function inputsType(schema: JsonSchema | undefined): ValueType {
  if (schema === undefined) return mapOf({})
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>
  const type = typeOfSchema({ type: 'object', ...schema, properties }, { isExact: true })
  const required = new Set([schema['required'] ?? []].flat())
  const fields = Object.entries(type.fields ?? {}).map(([name, field]) => {
    const isSure = required.has(name) || properties[name]?.['default'] !== undefined
    return [
      name,
      isSure
        ? field
        : { ...field, isOptional: true, because: 'the input is neither required nor has a default' },
    ] as const
  })
  return {
    ...type,
    fields: Object.fromEntries(fields),
    isOpen: type.isOpen === true && allowsOthers(schema),
  }
}
