import {
  type ActionDescription,
  longestUsualAttemptMs,
  ownActionName,
  type Safety,
} from '../../core/action.ts'
import { anything, type ValueType } from '../../core/expressions/value-type.ts'
import { nearest, suggest } from '../../core/nearest.ts'
import type { ExpectationPlan, RepeatPlan, UsesPlan } from '../../core/plan.ts'
import { checkArguments } from '../arguments/check-arguments.ts'
import { checkRetry } from '../arguments/check-retry.ts'
import type { JsonPath } from '../json-path.ts'
import type { StepKeys } from '../runbook-document.ts'
import { compileChild } from './child.ts'
import type { CompileContext } from './context.ts'
import { milliseconds, retryPolicy, texts, throttlePolicy, tolerance } from './policies.ts'
import { compileSafety } from './safety.ts'
import { compileSaveAs } from './save-as.ts'
import { outputsOf, type Scope, withNames } from './scope.ts'
import { takeAllSecrets, takeSecrets } from './secrets.ts'
import { type Compiled, compileCondition, compileTemplate, compileTyped } from './template.ts'

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
  const isNotLoaded = action === undefined && mayBeDefined(context, step)
  const secrets = texts(document.secrets ?? [])
  const taken = action
    ? takeSecrets(source, step.with, [...path, 'with'], action, secrets)
    : isNotLoaded
      ? takeAllSecrets(source, step.with, [...path, 'with'], secrets)
      : { rest: step.with, positions: [], fields: [] }
  const given = compileTemplate(context, taken.rest ?? {}, [...path, 'with'], scope)
  const saveAs = compileSaveAs(context, step, action, path, scope)
  checkRetry(context, step.retry, document.defaults?.retry, [...path, 'retry'])
  if (action) checkArguments(context, action, step, given, taken, path)
  else if (isNotLoaded) warnOfNotLoaded(context, step, path)
  else addUnknownAction(context, step, path)
  const child =
    action?.name === 'core/run' ? compileChild(context, given, taken.rest, [...path, 'with']) : undefined
  const outputs = outputsFor(action, given, child?.outputs, saveAs !== undefined)
  const after = withNames(scope, { outputs })
  const expect = compileExpect(context, step, path, after)
  const repeat = compileRepeat(context, step, path, after)
  const called = action ?? (isNotLoaded ? notLoadedAction(step) : undefined)
  if (!called) return { outputs }
  const { defaults } = document
  const timeout = step['attempt-timeout'] ?? defaults?.['attempt-timeout']
  const connection = called.usesNoConnection ? undefined : (step.connection ?? defaults?.connection)
  const uses: UsesPlan = {
    action: describe(called, compileSafety(source, called, taken.rest, [...path, 'with'])),
    with: given.template,
    ...(connection === undefined ? {} : { connection }),
    retry: retryPolicy(defaults?.retry, step.retry),
    throttle: throttlePolicy(defaults?.throttle, step.throttle),
    tolerate: tolerance(step.tolerate),
    ...(expect === undefined ? {} : { expect }),
    ...(repeat === undefined ? {} : { repeat }),
    ...(saveAs === undefined ? {} : { saveAs: saveAs.template }),
    ...attemptTimeout(timeout, called),
    ...(child?.key === undefined ? {} : { runbook: child.key }),
    ...(taken.positions.length === 0 ? {} : { secrets: taken.positions }),
  }
  return { uses, outputs }
}

/** The time for one attempt, where it is not the usual one. */
function attemptTimeout(
  text: string | undefined,
  { defaultTimeoutMs }: ActionDescription,
): Pick<UsesPlan, 'attemptTimeoutMs'> {
  if (text !== undefined) return { attemptTimeoutMs: milliseconds(text, 0) }
  return defaultTimeoutMs > longestUsualAttemptMs ? { attemptTimeoutMs: defaultTimeoutMs } : {}
}

/** What a call leaves behind. `core/set` answers with what it was given, `core/run` with what the child does. */
function outputsFor(
  action: ActionDescription | undefined,
  given: Compiled,
  ofChild: ValueType | undefined,
  savesAs: boolean,
): ValueType {
  if (!action) return anything
  return ofChild ?? (action.name === 'core/set' ? given.type : outputsOf(action, savesAs))
}

function describe({ name, batch, sensitiveOutput }: ActionDescription, safety: Safety): UsesPlan['action'] {
  return {
    name,
    safety,
    ...(batch === undefined ? {} : { batch }),
    ...(sensitiveOutput === undefined ? {} : { sensitiveOutput }),
  }
}

function addUnknownAction(
  { source, actions }: CompileContext,
  { uses = '' }: StepKeys,
  path: JsonPath,
): void {
  const at = [...path, 'uses']
  if (uses.includes('${{')) return
  const hint = suggest(uses, [...actions.keys()])
  source.findings.add('UNKNOWN_ACTION', at, source.rangeOf(at), `there is no action "${uses}"`, hint)
}

/** Whether a module that is not loaded may define the action: built-in actions have namespaces of their own. */
function mayBeDefined({ actions, children }: CompileContext, { uses = '' }: StepKeys): boolean {
  if (children.family.notLoaded.length === 0 || !ownActionName.test(uses)) return false
  const namespace = uses.slice(0, uses.indexOf('/') + 1)
  return ![...actions.keys()].some((name) => name.startsWith(namespace))
}

function warnOfNotLoaded(
  { source, actions, children }: CompileContext,
  { uses = '' }: StepKeys,
  path: JsonPath,
): void {
  const at = [...path, 'uses']
  const modules = children.family.notLoaded.join(' or ')
  const message = `not checked: the action "${uses}" is not built in, and ${modules} is not loaded`
  const near = nearest(uses, actions.keys())
  const isTypo = near === undefined ? '' : `did you mean "${near}"? `
  source.findings.warn(
    'ACTION_NOT_LOADED',
    at,
    source.rangeOf(at),
    message,
    `${isTypo}--with-actions loads it`,
  )
}

/** What has to be assumed of it: the most careful way to call it. */
function notLoadedAction({ uses = '' }: StepKeys): ActionDescription {
  const nothing = { summary: '', input: {}, output: {}, defaultTimeoutMs: 0 }
  return { ...nothing, name: uses, safety: 'create', usesNoConnection: true }
}

function compileExpect(
  context: CompileContext,
  step: StepKeys,
  path: JsonPath,
  scope: Scope,
): readonly ExpectationPlan[] | undefined {
  return step.expect?.flatMap((entry, index): ExpectationPlan[] => {
    if (entry === undefined) return []
    const entryPath = [...path, 'expect', index]
    const isMap = typeof entry === 'object'
    const that = isMap
      ? compileCondition(context, entry.that, [...entryPath, 'that'], scope)
      : compileCondition(context, entry, entryPath, scope)
    const message =
      isMap && entry.message !== undefined
        ? compileTyped(context, entry.message, [...entryPath, 'message'], scope, [
            'text',
            'number',
            'boolean',
          ])
        : undefined
    if (that === undefined) return []
    return [message === undefined ? { that } : { that, message: message.template }]
  })
}

function compileRepeat(
  context: CompileContext,
  { repeat }: StepKeys,
  path: JsonPath,
  scope: Scope,
): RepeatPlan | undefined {
  const until = compileCondition(context, repeat?.until, [...path, 'repeat', 'until'], scope)
  if (until === undefined) return undefined
  return {
    until,
    intervalMs: milliseconds(repeat?.interval, 5000),
    maxWaitMs: milliseconds(repeat?.['max-wait'], 600_000),
  }
}
