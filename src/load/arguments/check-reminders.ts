import { isJsonObject, type JsonPath } from '../../core/json.ts'
import { leastReminderMs } from '../../core/people/index.ts'
import { suggest } from '../../core/text/index.ts'
import { parseDuration } from '../../core/times/index.ts'
import type { CompileContext } from '../compile/context.ts'
import { isUnknownYet } from '../yaml/findings.ts'

/**
 * Checks `remind` and `escalate` of a step that asks: times that are too short or that never come, and a name that
 * `opsbook.yaml` does not have, where that is known.
 */
export function checkReminders(
  context: CompileContext,
  values: Readonly<Record<string, unknown>>,
  withPath: JsonPath,
): void {
  const escalate = isJsonObject(values['escalate']) ? values['escalate'] : {}
  checkTime(context, values['remind'], values['timeout'], [...withPath, 'remind'])
  checkTime(context, escalate['after'], values['timeout'], [...withPath, 'escalate', 'after'])
  checkName(context, escalate['to'], [...withPath, 'escalate', 'to'])
}

function checkTime({ source }: CompileContext, given: unknown, timeout: unknown, at: JsonPath): void {
  const ms = typeof given === 'string' ? parseDuration(given) : undefined
  if (ms === undefined) return
  const key = at.includes('escalate') ? 'escalate.after' : 'remind'
  if (ms < leastReminderMs) {
    const message = `"${key}" must be at least 1m, not ${String(given)}`
    source.add('TIMEOUT_TOO_SHORT', at, message, 'such as 10m')
    return
  }
  const limit = typeof timeout === 'string' ? parseDuration(timeout) : undefined
  if (limit === undefined || limit === 0 || ms < limit) return
  const message = `the question expires after ${String(timeout)}, so no notification is sent after ${String(given)}`
  source.add('CONTRADICTING_TIMES', at, message, `shorter than ${String(timeout)}`)
}

function checkName({ source, children }: CompileContext, to: unknown, at: JsonPath): void {
  const { notifyNames } = children.family
  if (typeof to !== 'string' || isUnknownYet(to) || notifyNames === undefined || notifyNames.includes(to))
    return
  const message = `there is no target "${to}" under "notify" in opsbook.yaml`
  const hint =
    notifyNames.length === 0
      ? `no target has a name: add name: ${to} to one, or add one`
      : suggest(to, notifyNames)
  source.warn('UNKNOWN_NOTIFY_NAME', at, message, hint)
}
