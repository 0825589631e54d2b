import { evaluate } from '../expressions/evaluate.ts'
import { valuesRead } from '../expressions/references.ts'
import { nameKind } from '../expressions/value-type.ts'
import { listenedHook } from '../hooks/listened-hooks.ts'
import { isJsonObject, type JsonValue } from '../json.ts'
import type { ListenPlan } from '../plan/plan.ts'
import { RunbookError } from '../run-error.ts'
import { parseDuration } from '../times/duration.ts'
import { type Frame, withNames } from './frame.ts'
import type { BuiltinStep } from './run-builtin.ts'
import { cancelledResult, failedResult } from './step-result.ts'

/**
 * Waits for an event, as a call of its path: what it took is in the journal, and a resumed run does not wait again. The
 * time is not working time.
 */
export const listen: BuiltinStep = async ({ path, uses, input, frame }) => {
  const { host, cancellation, scope } = frame
  const { where } = uses.listen ?? {}
  const source = sourceText(uses.listen)
  const timeoutMs = typeof input['timeout'] === 'string' ? parseDuration(input['timeout']) : undefined
  const endMs = timeoutMs === undefined ? undefined : (await host.firstReachedAt(path)) + timeoutMs
  const isWanted = (event: JsonValue): boolean => {
    const value = where ? evaluate(where, withNames(frame, { event }).scope) : true
    if (typeof value === 'boolean') return value
    throw new RunbookError('ExpressionFailed', `"where" is ${nameKind(value)}, not true or false`)
  }
  const asked = where ? { where: { condition: where.source, values: valuesRead(where, scope) } } : {}
  const attempted = await host.call(
    { path, attempt: 1, action: uses.action.name, input: { ...input, ...asked } },
    {
      cancellation,
      past() {},
      onWaiting() {
        const until = endMs === undefined ? {} : { until: endMs }
        host.report({ type: 'waiting', path, reason: 'event', message: source, ...until })
      },
      listening: {
        path,
        hook: listenedHook(uses.listen ?? {}, runIdOf(frame)),
        source,
        endMs: endMs ?? Number.POSITIVE_INFINITY,
        timeoutMessage: `no event of ${source} that the step waits for came within ${String(input['timeout'])}`,
        isWanted,
      },
    },
  )
  if (attempted.status === 'succeeded') return { status: 'succeeded', attempts: 0, outputs: attempted.output }
  const { error } = attempted
  if (error.code === 'ListenTimeout' && input['on-timeout'] === 'continue')
    return { status: 'succeeded', attempts: 0, outputs: {} }
  return error.code === 'Cancelled'
    ? cancelledResult(frame, path)
    : failedResult({ ...error, path }, frame, 0)
}

/** Where the events come from, for people. */
function sourceText({ hook = '', callback }: Pick<ListenPlan, 'hook' | 'callback'> = {}): string {
  return callback === undefined ? `the hook ${hook}` : `the callback ${callback}`
}

function runIdOf({ scope: { run } }: Frame): string {
  return isJsonObject(run) ? String(run['id']) : ''
}
