import type { ActionDescription } from '../../core/action.ts'
import { coreActions } from '../../core/core-actions.ts'
import { parseDuration } from '../../core/duration.ts'
import { isJsonObject } from '../../core/json.ts'
import type { JsonPath } from '../json-path.ts'
import type { StepKeys } from '../runbook-document.ts'
import type { Source } from '../source.ts'

/** Actions that send nothing: there is no attempt to limit, to repeat, or to send to some connection. */
const sendNothing: readonly string[] = coreActions.map(({ name }) => name)
const keysOfCalls = ['connection', 'attempt-timeout', 'retry', 'throttle', 'repeat'] as const

/** The rules of the core's own actions that neither their schemas nor the values alone can say. */
export function checkCoreCall(
  source: Source,
  { name }: ActionDescription,
  step: StepKeys,
  given: unknown,
  path: JsonPath,
): void {
  const warn = (at: JsonPath, message: string, hint?: string): void =>
    source.findings.warn('NO_EFFECT', at, source.rangeOfKey(at), message, hint)
  if (!sendNothing.includes(name)) return
  for (const key of keysOfCalls) {
    if (step[key] !== undefined) warn([...path, key], `${name} sends nothing, so "${key}" changes nothing`)
  }
  const values = isJsonObject(given) ? given : {}
  if (name === 'core/wait' && given !== undefined)
    checkWait(source, values, step.with === undefined ? path : [...path, 'with'])
  if (name === 'core/approve') checkApprove(source, values, path, warn)
}

/** Also where one of the two is an expression, their number is known. */
function checkWait(source: Source, values: object, at: JsonPath): void {
  const has = (key: string): boolean => Object.hasOwn(values, key)
  if (has('for') !== has('until')) return
  const message = 'core/wait needs exactly one of for and until'
  source.findings.add('WRONG_ARGUMENT', at, source.rangeOf(at), message)
}

function checkApprove(
  source: Source,
  values: Readonly<Record<string, unknown>>,
  path: JsonPath,
  warn: (at: JsonPath, message: string, hint?: string) => void,
): void {
  const { timeout } = values
  if (values['on-timeout'] !== undefined && timeout === undefined) {
    const message = 'without a timeout the step waits for ever, and "on-timeout" changes nothing'
    warn([...path, 'with', 'on-timeout'], message, 'such as timeout: 30m')
  }
  if (typeof timeout !== 'string' || parseDuration(timeout) !== 0) return
  const at = [...path, 'with', 'timeout']
  source.findings.add('TIMEOUT_TOO_SHORT', at, source.rangeOf(at), 'nobody can answer at once', 'such as 30m')
}
