import {
  anyType,
  canBe,
  type Field,
  listOf,
  mapOf,
  numberType,
  type ValueType,
} from '../../core/expressions/index.ts'
import type { JsonPath } from '../../core/json.ts'
import type { StepPlan, TurnsPlan } from '../../core/plan/index.ts'
import { suggest } from '../../core/text/index.ts'
import type { RepeatKeys, StepKeys } from '../runbook-document.ts'
import { findingPlace } from '../source.ts'
import { checkTurnTimes } from './check-step-times.ts'
import type { CompileContext } from './context.ts'
import { type TypeScope, turnIndex, withTypes } from './scope.ts'
import { compileDuration, settingsOf } from './settings.ts'
import { type Compiled, compileCondition, compileTemplate, compileTyped } from './template.ts'
import { addWrongKind } from './wrong-kind.ts'

/** A compiled block with `repeat`. */
export interface CompiledTurns {
  readonly turns?: TurnsPlan
  readonly steps: readonly StepPlan[]
  /** What `outputs`, `catch` and `finally` of the step see: the steps of the last turn, and no `turn`. */
  readonly scope: TypeScope
  readonly outputs: ValueType
}

/** A parameter, since a block holds steps and a step can hold a block. */
type CompileSteps = (scope: TypeScope) => { readonly steps: readonly StepPlan[]; readonly scope: TypeScope }

/** Compiles the `repeat` of a block, and its steps, which see the values of their turn. */
export function compileTurns(
  context: CompileContext,
  step: StepKeys,
  keys: RepeatKeys,
  path: JsonPath,
  scope: TypeScope,
  compileSteps: CompileSteps,
): CompiledTurns {
  const given = compileMap(context, keys.with, [...path, 'with'], scope)
  checkNames(context, given, [...path, 'with'])
  const fields = fieldsOf(given?.type)
  const turn: ValueType = {
    ...mapOf({ ...fields, index: { type: numberType } }),
    isOpen: isOpen(given?.type),
  }
  const inner = compileSteps({ ...withTypes(scope, { turn }), loops: [...scope.loops, turnIndex] })
  const next = compileMap(context, keys.next, [...path, 'next'], inner.scope)
  if (next) checkNext(context, keys.next, next, fields, isOpen(given?.type), [...path, 'next'])
  const collect =
    keys.collect === undefined
      ? undefined
      : compileTemplate(context, keys.collect, [...path, 'collect'], inner.scope)
  const last: ValueType = { ...mapOf(fields), isOpen: isOpen(given?.type) }
  const until = compileUntil(context, keys, path, withTypes(inner.scope, { next: last }))
  checkTurnTimes(context, step, keys, path)
  const outputs = mapOf({
    turns: { type: numberType },
    ...(collect === undefined ? {} : { items: { type: listOf(collect.type) } }),
    ...(given === undefined ? {} : { last: { type: last } }),
  })
  const { turn: _, ...names } = inner.scope.names
  const after: TypeScope = { ...inner.scope, names, loops: scope.loops }
  if (until === undefined || keys['at-most'] === undefined)
    return { steps: inner.steps, scope: after, outputs }
  const turns: TurnsPlan = {
    ...(given === undefined ? {} : { with: given.template }),
    ...(next === undefined ? {} : { next: next.template }),
    until,
    atMost: keys['at-most'],
    ...settingsOf({
      intervalMs: compileDuration(context, keys.interval, [...path, 'interval'], { otherwise: 0 }),
    }),
    ...(collect === undefined ? {} : { collect: collect.template }),
  }
  return { turns, steps: inner.steps, scope: after, outputs }
}

function compileMap(
  context: CompileContext,
  value: unknown,
  path: JsonPath,
  scope: TypeScope,
): Compiled | undefined {
  return value === undefined ? undefined : compileTyped(context, value, path, scope, ['map'])
}

/** The values of a turn change from one to the next: of the first ones only the kinds hold for all. */
function fieldsOf(type: ValueType | undefined): Readonly<Record<string, Field>> {
  const fields = Object.entries(type?.fields ?? {})
  return Object.fromEntries(fields.map(([name, field]) => [name, { ...field, type: kindsOf(field.type) }]))
}

/** A value that begins as null becomes something else later. */
function kindsOf({ kinds }: ValueType): ValueType {
  return kinds === undefined || kinds.includes('null') ? anyType : { kinds }
}

/** Whether there may be values that are not known. */
function isOpen(type: ValueType | undefined): boolean {
  return type !== undefined && (type.fields === undefined || type.isOpen === true)
}

function checkNames({ source }: CompileContext, given: Compiled | undefined, path: JsonPath): void {
  if (given?.parts?.['index'] === undefined) return
  const message = '"turn.index" is the number of the turn, counted from 0'
  source.add('INVALID_ID', { key: [...path, 'index'] }, message, 'such as page')
}

/** Each value of the next turn has one in the first turn, of the same kind. */
function checkNext(
  { source }: CompileContext,
  written: unknown,
  next: Compiled,
  fields: Readonly<Record<string, Field>>,
  mayHaveOthers: boolean,
  path: JsonPath,
): void {
  const parts = next.parts ?? {}
  for (const [name, { type }] of Object.entries(next.type.fields ?? {})) {
    const isWritten = Object.hasOwn(parts, name)
    const at = isWritten ? [...path, name] : path
    const first = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (!first) {
      if (mayHaveOthers) continue
      const message = `"next" gives "${name}", and the first turn has no such value`
      const known = Object.keys(fields)
      const hint = known.length === 0 ? `add with: { ${name}: … }` : suggest(name, known)
      source.add('UNKNOWN_FIELD', findingPlace(at, isWritten), message, hint)
    } else if (first.type.kinds && !canBe(type, ...first.type.kinds)) {
      const value = isWritten ? (written as Readonly<Record<string, unknown>>)[name] : written
      addWrongKind(source, value, type, at, first.type.kinds)
    }
  }
}

function compileUntil(
  context: CompileContext,
  { until: written }: RepeatKeys,
  path: JsonPath,
  scope: TypeScope,
): TurnsPlan['until'] | undefined {
  const at = [...path, 'until']
  const until = compileCondition(context, written, at, scope)
  if (until?.tree.kind !== 'value' || typeof until.tree.value !== 'boolean') return until
  const { source } = context
  const message = until.tree.value
    ? 'the first turn is the last one: nothing is repeated'
    : 'this is never true: the step always fails with TooManyTurns'
  source.warn('NO_EFFECT', at, message, 'such as ${{ turn.index == 2 }}')
  return until
}
