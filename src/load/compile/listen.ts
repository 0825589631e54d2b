import { mapOf, textType, type ValueType } from '../../core/expressions/index.ts'
import { isJsonObject, type JsonPath } from '../../core/json.ts'
import type { ListenPlan } from '../../core/plan/index.ts'
import { parseDuration } from '../../core/times/index.ts'
import { isUnknownYet, unreadableText } from '../yaml/findings.ts'
import { checkHook, eventTypeOf } from './check-hook.ts'
import { checkCallbackName } from './check-id.ts'
import type { CompileContext } from './context.ts'
import { type TypeScope, withTypes } from './scope.ts'
import { type Compiled, compileCondition, compileTemplate } from './template.ts'

/** What a `core/listen` step waits for, its other arguments, and what it leaves behind. */
export interface CompiledListen {
  readonly plan: ListenPlan
  readonly given: Compiled
  readonly outputs: ValueType
}

/** Compiles the arguments of `core/listen`: `where` alone sees `event`, and the source of the events is written out. */
export function compileListen(
  context: CompileContext,
  values: unknown,
  path: JsonPath,
  scope: TypeScope,
): CompiledListen {
  const { where: condition, ...rest } = isJsonObject(values) ? values : {}
  const given = compileTemplate(context, isJsonObject(values) ? rest : values, path, scope)
  const inside = withTypes(scope, { event: eventTypeOf(context, rest['hook']) })
  const where = compileCondition(context, condition, [...path, 'where'], inside)
  if (isJsonObject(values)) checkTimes(context, rest, path)
  const from = readSource(context, rest, path)
  return {
    plan: { ...from, ...(where === undefined ? {} : { where }) },
    given,
    outputs: outputsFor(eventTypeOf(context, rest['hook']), rest['on-timeout']),
  }
}

/** Where the events come from. The run keeps them from its start on, so the plan names it. */
function readSource(
  context: CompileContext,
  values: Readonly<Record<string, unknown>>,
  path: JsonPath,
): Pick<ListenPlan, 'hook' | 'callback'> {
  const name = (key: 'hook' | 'callback'): string | undefined =>
    readName(context, key, values[key], [...path, key])
  if (values['callback'] !== undefined && values['hook'] !== undefined) {
    const { source } = context
    const message = 'the step waits for a hook or for a callback of the run, and not for both'
    source.add('WRONG_ARGUMENT', { key: [...path, 'callback'] }, message)
  }
  const callback = name('callback')
  if (callback !== undefined) {
    checkCallbackName(context, callback, [...path, 'callback'])
    return { callback }
  }
  const hook = name('hook')
  if (hook !== undefined) checkHook(context, hook, [...path, 'hook'])
  return { hook: hook ?? '' }
}

function readName(
  { source }: CompileContext,
  key: string,
  name: unknown,
  path: JsonPath,
): string | undefined {
  if (typeof name !== 'string' || name === unreadableText) return undefined
  if (!isUnknownYet(name)) return name
  const message = `events are kept from the start of the run, so the ${key} is written out`
  source.add('EXPRESSION_NOT_ALLOWED', path, message, 'choose events by where')
  return undefined
}

function checkTimes(
  { source }: CompileContext,
  values: Readonly<Record<string, unknown>>,
  path: JsonPath,
): void {
  const { timeout } = values
  if (values['on-timeout'] !== undefined && timeout === undefined) {
    const message = 'without a timeout the step waits for ever, and "on-timeout" changes nothing'
    source.warn('NO_EFFECT', { key: [...path, 'on-timeout'] }, message, 'such as timeout: 2h')
  }
  if (typeof timeout !== 'string' || parseDuration(timeout) !== 0) return
  const message = 'no event has time to come'
  source.add('TIMEOUT_TOO_SHORT', [...path, 'timeout'], message, 'such as 2h')
}

function outputsFor(event: ValueType, onTimeout: unknown): ValueType {
  const because = 'no event may have come: on-timeout is continue'
  const optional = onTimeout === 'continue' ? { isOptional: true, because } : {}
  return mapOf({
    event: { type: event, ...optional },
    event_id: { type: textType, ...optional },
    received_at: { type: textType, ...optional },
  })
}
