import type { ActionDescription } from '../../core/action.ts'
import { anything, type ValueType } from '../../core/expressions/value-type.ts'
import { suggest } from '../../core/nearest.ts'
import type { ExpectationPlan, RepeatPlan, UsesPlan } from '../../core/plan.ts'
import { checkArguments } from '../check-arguments.ts'
import { checkErrorCodes } from '../check-error-codes.ts'
import type { JsonPath } from '../json-path.ts'
import type { StepKeys } from '../runbook-document.ts'
import type { CompileContext } from './context.ts'
import { milliseconds, retryPolicy, throttlePolicy, tolerance } from './policies.ts'
import { outputsOf, type Scope, withNames } from './scope.ts'
import { takeSecrets } from './secrets.ts'
import { compileCondition, compileTemplate } from './template.ts'

/** A compiled call, and what it leaves behind. */
export interface CompiledUses {
  readonly uses?: UsesPlan
  readonly outputs: ValueType
}

export function compileUses(
  context: CompileContext,
  step: StepKeys,
  path: JsonPath,
  scope: Scope,
): CompiledUses {
  const { source, actions, document } = context
  const action = actions.get(step.uses ?? '')
  const taken = action
    ? takeSecrets(source, step.with, [...path, 'with'], action, document.secrets ?? [])
    : { rest: step.with, positions: [] }
  const given = compileTemplate(source, taken.rest ?? {}, [...path, 'with'], scope)
  const saveAs =
    step['save-as'] === undefined
      ? undefined
      : compileTemplate(source, step['save-as'], [...path, 'save-as'], scope)
  if (!action) return unknownAction(context, step, path)
  checkArguments(source, action, step, given.type, taken.rest, path)
  checkErrorCodes(source, step.retry?.errors, [...path, 'retry', 'errors'])
  checkErrorCodes(source, step.retry?.except, [...path, 'retry', 'except'])
  const outputs = outputsOf(action, saveAs !== undefined)
  const after = withNames(scope, { outputs })
  const { defaults } = document
  const timeout = step['attempt-timeout'] ?? defaults?.['attempt-timeout']
  const connection = step.connection ?? defaults?.connection
  const expect = compileExpect(context, step, path, after)
  const repeat = compileRepeat(context, step, path, after)
  const uses: UsesPlan = {
    action: describe(action),
    with: given.template,
    ...(connection === undefined ? {} : { connection }),
    retry: retryPolicy(defaults?.retry, step.retry),
    throttle: throttlePolicy(defaults?.throttle, step.throttle),
    tolerate: tolerance(step.tolerate),
    ...(expect === undefined ? {} : { expect }),
    ...(repeat === undefined ? {} : { repeat }),
    ...(saveAs === undefined ? {} : { saveAs: saveAs.template }),
    ...(timeout === undefined ? {} : { attemptTimeoutMs: milliseconds(timeout, 0) }),
    ...(taken.positions.length === 0 ? {} : { secrets: taken.positions }),
  }
  return { uses, outputs }
}

function describe({ name, safety, batch, sensitiveOutput }: ActionDescription): UsesPlan['action'] {
  return {
    name,
    safety,
    ...(batch === undefined ? {} : { batch }),
    ...(sensitiveOutput === undefined ? {} : { sensitiveOutput }),
  }
}

function unknownAction(
  { source, actions }: CompileContext,
  { uses = '' }: StepKeys,
  path: JsonPath,
): CompiledUses {
  const usesPath = [...path, 'uses']
  const hint = suggest(uses, [...actions.keys()])
  source.findings.add(
    'UNKNOWN_ACTION',
    usesPath,
    source.rangeOf(usesPath),
    `there is no action "${uses}"`,
    hint,
  )
  return { outputs: anything }
}

function compileExpect(
  { source }: CompileContext,
  step: StepKeys,
  path: JsonPath,
  scope: Scope,
): readonly ExpectationPlan[] | undefined {
  return step.expect?.flatMap((entry, index): ExpectationPlan[] => {
    const entryPath = [...path, 'expect', index]
    const isMap = typeof entry === 'object'
    const that = compileCondition(
      source,
      isMap ? entry.that : entry,
      isMap ? [...entryPath, 'that'] : entryPath,
      scope,
    )
    if (that === undefined) return []
    if (!isMap || entry.message === undefined) return [{ that }]
    return [
      { that, message: compileTemplate(source, entry.message, [...entryPath, 'message'], scope).template },
    ]
  })
}

function compileRepeat(
  { source }: CompileContext,
  { repeat }: StepKeys,
  path: JsonPath,
  scope: Scope,
): RepeatPlan | undefined {
  if (repeat === undefined) return undefined
  const until = compileCondition(source, repeat.until, [...path, 'repeat', 'until'], scope)
  if (until === undefined) return undefined
  return {
    until,
    intervalMs: milliseconds(repeat.interval, 5000),
    maxWaitMs: milliseconds(repeat['max-wait'], 600_000),
  }
}
