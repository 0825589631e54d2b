import type { ActionDescription } from '../../core/action.ts'
import { formatDuration, parseDuration } from '../../core/duration.ts'
import { isJsonObject } from '../../core/json.ts'
import type { CompileContext } from '../compile/context.ts'
import type { JsonPath } from '../json-path.ts'
import type { StepKeys } from '../runbook-document.ts'

/** Times that are too short for the action they are given to. */
export function checkActionTimes(
  { source, document }: CompileContext,
  action: ActionDescription,
  step: StepKeys,
  path: JsonPath,
): void {
  const least = action.minimumTimeoutMs ?? 0
  const example = `such as ${formatDuration(Math.max(least, action.defaultTimeoutMs))}`
  const refuse = (at: JsonPath, message: string, hint = example): void =>
    source.findings.add('TIMEOUT_TOO_SHORT', at, source.rangeOf(at), message, hint)
  const isTooShort = (text: string | undefined): boolean => {
    const time = text === undefined ? undefined : parseDuration(text)
    return time !== undefined && time > 0 && time < least
  }
  const needs = `${action.name} needs at least ${formatDuration(least)} for one attempt`
  if (isTooShort(step['attempt-timeout'])) refuse([...path, 'attempt-timeout'], needs)
  else if (step['attempt-timeout'] === undefined && isTooShort(document.defaults?.['attempt-timeout'])) {
    refuse(['defaults', 'attempt-timeout'], needs)
  }
  if (isTooShort(step.timeout)) refuse([...path, 'timeout'], needs)
  if (action.name === 'core/wait') checkWait(step, path, refuse)
}

/** A wait counts as working time: a step that is given less never sees the end of it. */
function checkWait(
  step: StepKeys,
  path: JsonPath,
  refuse: (at: JsonPath, message: string, hint: string) => void,
): void {
  const wait = isJsonObject(step.with) ? step.with['for'] : undefined
  const waitMs = typeof wait === 'string' ? parseDuration(wait) : undefined
  const limit = step.timeout === undefined ? undefined : parseDuration(step.timeout)
  if (waitMs === undefined || limit === undefined || limit === 0 || waitMs < limit) return
  const message = `the step waits ${String(wait)}, and is given ${step.timeout}`
  refuse([...path, 'timeout'], message, `longer than ${String(wait)}`)
}
