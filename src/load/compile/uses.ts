import {
  type ActionDescription,
  bareAction,
  longestUsualAttemptMs,
  ownActionName,
  type Safety,
} from '../../core/action.ts'
import { anyType, type Expression, type Template, type ValueType } from '../../core/expressions/index.ts'
import { type JsonPath, withoutUndefined } from '../../core/json.ts'
import type { ExpectationPlan, RepeatPlan, UsesPlan } from '../../core/plan/index.ts'
import { nearest, suggest } from '../../core/text/index.ts'
import { checkArguments } from '../arguments/check-arguments.ts'
import { connectionOf } from '../arguments/check-connection.ts'
import { languageDefaults } from '../language/defaults.ts'
import { hintForAction } from '../language/other-tools.ts'
import type { RetryKeys, StepKeys } from '../runbook-document.ts'
import { checkPolicy, compileAsk } from './ask.ts'
import { checkAddress } from './check-address.ts'
import { checkRetry } from './check-step-times.ts'
import { compileChild } from './child.ts'
import type { CompileContext } from './context.ts'
import { compileListen } from './listen.ts'
import { outputsTypeOf } from './outputs-type.ts'
import { milliseconds, retryPolicy, texts, throttlePolicy, tolerance } from './policies.ts'
import { errorType } from './run-type.ts'
import { compileSafety } from './safety.ts'
import { compileSaveAs } from './save-as.ts'
import { type TypeScope, withTypes } from './scope.ts'
import { takeAllSecrets, takeSecrets } from './secrets.ts'
import { compileSensitive } from './sensitive.ts'
import { compileDuration, settingsOf } from './settings.ts'
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
  scope: TypeScope,
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
  const listen =
    action?.name === 'core/listen'
      ? compileListen(context, taken.rest ?? {}, step.with === undefined ? path : [...path, 'with'], scope)
      : undefined
  const withPath = step.with === undefined ? path : [...path, 'with']
  const ask = action?.name === 'core/ask' ? compileAsk(context, taken.rest ?? {}, withPath, scope) : undefined
  if (action) checkPolicy(source, action, taken.rest, withPath)
  const given =
    listen?.given ?? ask?.given ?? compileTemplate(context, taken.rest ?? {}, [...path, 'with'], scope)
  const saveAs = compileSaveAs(context, step, action, path, scope)
  const retryWhen =
    compileRetryWhen(context, step.retry, [...path, 'retry'], scope) ?? context.defaultRetryWhen
  checkRetry(context, step.retry, document.defaults?.retry, [...path, 'retry'])
  if (action) checkArguments(context, action, step, given, taken, path)
  else if (isNotLoaded) warnOfNotLoaded(context, step, path)
  else addUnknownAction(context, step, path)
  const child =
    action?.name === 'core/run' ? compileChild(context, given, taken.rest, [...path, 'with']) : undefined
  const outputs = outputsFor(
    action,
    given,
    child?.outputs ?? listen?.outputs ?? ask?.outputs,
    saveAs !== undefined,
  )
  const sensitive = compileSensitive(source, step, path, outputs)
  const after = withTypes(scope, { outputs })
  const expect = compileExpect(context, step, path, after)
  const repeat = compileRepeat(context, step, path, after)
  const called = action ?? (isNotLoaded ? notLoadedAction(step) : undefined)
  if (!called) return { outputs }
  const { defaults } = document
  const timeout = step['attempt-timeout'] ?? defaults?.['attempt-timeout']
  const connection = connectionOf(called, step, defaults?.connection)
  const uses: UsesPlan = {
    action: describe(called, compileSafety(source, called, taken.rest, [...path, 'with']), sensitive),
    with: asAddress(context, given.template, called, [...path, 'with']),
    ...(connection === undefined ? {} : { connection }),
    retry: retryPolicy(context, step.retry, path),
    ...(retryWhen === undefined ? {} : { retryWhen }),
    throttle: throttlePolicy(context, step.throttle, path),
    tolerate: tolerance(step.tolerate),
    ...withoutUndefined({ expect, repeat }),
    ...(saveAs === undefined ? {} : { saveAs: saveAs.template }),
    ...attemptTimeout(timeout, called),
    ...(child?.key === undefined ? {} : { runbook: child.key }),
    ...(listen === undefined ? {} : { listen: listen.plan }),
    ...(taken.positions.length === 0 ? {} : { secrets: taken.positions }),
  }
  return { uses, outputs }
}

/** The arguments, of which some are parts of an address. */
function asAddress(
  context: CompileContext,
  given: Template,
  { addressInput = [] }: ActionDescription,
  path: JsonPath,
): Template {
  if (given.kind !== 'object' || addressInput.length === 0) return given
  return {
    kind: 'object',
    entries: given.entries.map(([key, value]) => {
      if (value.kind !== 'text' || !addressInput.includes(key)) return [key, value]
      checkAddress(context, value, [...path, key])
      return [key, { ...value, isAddress: true }]
    }),
  }
}

/** The condition of a `retry`, which sees the failure. */
export function compileRetryWhen(
  context: CompileContext,
  retry: RetryKeys | undefined,
  path: JsonPath,
  scope: TypeScope,
): Expression | undefined {
  return compileCondition(context, retry?.when, [...path, 'when'], withTypes(scope, { error: errorType }))
}

/** The time for one attempt, where it is not the usual one. */
function attemptTimeout(
  text: string | undefined,
  { defaultTimeoutMs }: ActionDescription,
): Pick<UsesPlan, 'attemptTimeoutMs'> {
  if (text !== undefined) return { attemptTimeoutMs: milliseconds(text, 0) }
  return defaultTimeoutMs > longestUsualAttemptMs ? { attemptTimeoutMs: defaultTimeoutMs } : {}
}

/** What a call leaves behind, unless that is known: `core/set` answers with what it was given. */
function outputsFor(
  action: ActionDescription | undefined,
  given: Compiled,
  known: ValueType | undefined,
  savesAs: boolean,
): ValueType {
  if (!action) return anyType
  return known ?? (action.name === 'core/set' ? given.type : outputsTypeOf(action, savesAs))
}

function describe(
  { name, batch, sensitiveInput = [], sensitiveOutput = [], isLocal }: ActionDescription,
  safety: Safety,
  sensitive: readonly string[],
): UsesPlan['action'] {
  const hidden = [...new Set([...sensitiveOutput, ...sensitive])]
  return {
    name,
    safety,
    ...(batch === undefined ? {} : { batch }),
    // A read is never shown to an approver.
    ...(safety === 'read' || sensitiveInput.length === 0 ? {} : { sensitiveInput }),
    ...(safety === 'read' || !isLocal ? {} : { isLocal }),
    ...(hidden.length === 0 ? {} : { sensitiveOutput: hidden }),
  }
}

function addUnknownAction(
  { source, actions }: CompileContext,
  { uses = '' }: StepKeys,
  path: JsonPath,
): void {
  if (uses.includes('${{')) return
  const names = [...actions.keys()]
  const related = names.filter((name) => name.split('/')[0] === uses.split('/')[0])
  const isUnlike = nearest(uses, names) === undefined
  const isOther = related.length === 0 || uses.startsWith('core/')
  const listed =
    isUnlike && related.length === 0
      ? '"opsbook actions" lists those that there are; actions and apis in opsbook.yaml add others'
      : suggest(uses, isUnlike ? related : names)
  const own = `core/${uses.toLowerCase()}`
  const known = actions.has(own) ? `did you mean "${own}"?` : isOther ? hintForAction(uses) : undefined
  const hint = known ?? listed
  source.add('UNKNOWN_ACTION', [...path, 'uses'], `there is no action "${uses}"`, hint)
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
  const modules = children.family.notLoaded.join(' or ')
  const message = `not checked: the action "${uses}" is not built in, and ${modules} is not loaded`
  const near = nearest(uses, actions.keys())
  const isTypo = near === undefined ? '' : `did you mean "${near}"? `
  source.warn('ACTION_NOT_LOADED', [...path, 'uses'], message, `${isTypo}--with-actions loads it`)
}

/** What has to be assumed of it: the most careful way to call it. */
function notLoadedAction({ uses = '' }: StepKeys): ActionDescription {
  return { ...bareAction(uses, 'create'), usesNoConnection: true }
}

function compileExpect(
  context: CompileContext,
  step: StepKeys,
  path: JsonPath,
  scope: TypeScope,
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
  scope: TypeScope,
): RepeatPlan | undefined {
  const until = compileCondition(context, repeat?.until, [...path, 'repeat', 'until'], scope)
  if (until === undefined) return undefined
  return {
    until,
    ...settingsOf({
      intervalMs: compileDuration(context, repeat?.interval, [...path, 'repeat', 'interval'], {
        otherwise: languageDefaults.repeat.intervalMs,
        // A poll without a pause is as many calls as the other side can answer.
        least: 1,
      }),
      maxWaitMs: compileDuration(context, repeat?.['max-wait'], [...path, 'repeat', 'max-wait'], {
        otherwise: languageDefaults.repeat.maxWaitMs,
        least: 1,
      }),
    }),
  }
}
