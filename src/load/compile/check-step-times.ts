import type { ActionDescription } from '../../core/action.ts'
import { defaultRetry } from '../../core/calls/index.ts'
import { isJsonObject, type JsonPath } from '../../core/json.ts'
import { formatDuration, parseDuration } from '../../core/times/index.ts'
import { checkErrorCodes } from '../check-error-codes.ts'
import { languageDefaults } from '../language/defaults.ts'
import type { RepeatKeys, RetryKeys, StepKeys } from '../runbook-document.ts'
import type { Source } from '../source.ts'
import type { CompileContext } from './context.ts'

/** Durations of a runbook that are no time at all where there must be some. */
const positive: readonly JsonPath[] = [['timeout'], ['attempt-timeout'], ['repeat', 'max-wait']]

/** Judges the times of a step by themselves; the ones an action needs are judged with its arguments. */
export function checkStepTimes(context: CompileContext, step: StepKeys, path: JsonPath): void {
  const { source } = context
  for (const keys of positive) checkPositive(source, step, keys, path)
  // A poll without a pause is as many calls as the other side can answer.
  if (step.uses !== undefined) checkPositive(source, step, ['repeat', 'interval'], path)
  checkRetryTimes(source, step.retry, context.document.defaults?.retry, [...path, 'retry'])
  const { interval, 'max-wait': maxWait } = (step.uses === undefined ? undefined : step.repeat) ?? {}
  const pause = durationOf(interval)
  const most = maxWait === undefined ? languageDefaults.repeat.maxWaitMs : durationOf(maxWait)
  if (pause !== undefined && most !== undefined && pause >= most && most > 0) {
    const message = `after ${interval} the ${formatDuration(most)} of max-wait are over, so nothing is ever repeated`
    addContradiction(source, [...path, 'repeat', 'interval'], message)
  }
  const limit = durationOf(step.timeout)
  const attempt = durationOf(step['attempt-timeout'])
  if (limit !== undefined && attempt !== undefined && attempt > limit) {
    const message = `the step has ${step.timeout} in all, so one attempt never takes ${step['attempt-timeout']}`
    source.warn('NO_EFFECT', [...path, 'attempt-timeout'], message)
  }
}

/** The pause between two turns of a block fits into the time of the step. */
export function checkTurnTimes(
  { source }: CompileContext,
  { timeout }: StepKeys,
  { interval }: RepeatKeys,
  path: JsonPath,
): void {
  const [pause, limit] = [durationOf(interval), durationOf(timeout)]
  if (pause === undefined || limit === undefined || limit === 0 || pause < limit) return
  const message = `the step has ${timeout} in all, so there is no second turn after ${interval}`
  addContradiction(source, [...path, 'interval'], message)
}

/** The times of the whole runbook. */
export function checkDocumentTimes({ source, document }: CompileContext): void {
  checkPositive(source, document, ['timeout'], [])
  checkPositive(source, document, ['defaults', 'attempt-timeout'], [])
  checkRetryTimes(source, document.defaults?.retry, undefined, ['defaults', 'retry'])
}

/** A pause that grows must be shorter than its longest. */
function checkRetryTimes(
  source: Source,
  own: RetryKeys | undefined,
  defaults: RetryKeys | undefined,
  path: JsonPath,
): void {
  const { delay } = own ?? {}
  if (durationOf(delay) === 0) {
    const at = [...path, 'delay']
    const message = 'without a pause, what refuses a call is called again at once'
    source.warn('TIMEOUT_TOO_SHORT', at, message, 'such as delay: 1s')
  }
  const most = own?.['max-delay'] ?? defaults?.['max-delay'] ?? formatDuration(defaultRetry.maxDelayMs)
  const [least, limit] = [durationOf(delay), durationOf(most)]
  if (least === undefined || limit === undefined || least <= limit) return
  const message = `no pause is longer than max-delay, which is ${most}`
  addContradiction(source, [...path, 'delay'], message, `add max-delay: ${delay}`)
}

/** Refuses a duration of zero at keys of a map. */
export function checkPositive(source: Source, holder: object, keys: JsonPath, path: JsonPath): void {
  const value = keys.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined),
    holder,
  )
  if (typeof value !== 'string' || parseDuration(value) !== 0) return
  const message = `"${String(keys.at(-1))}" must be longer than ${value}`
  source.add('TIMEOUT_TOO_SHORT', [...path, ...keys], message)
}

function addContradiction(source: Source, path: JsonPath, message: string, hint?: string): void {
  source.add('CONTRADICTING_TIMES', path, message, hint)
}

function durationOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(text)
}

/** Checks the codes of a `retry`, and whether it ever repeats what it says. */
export function checkRetry(
  context: CompileContext,
  retry: RetryKeys | undefined,
  defaults: RetryKeys | undefined,
  path: JsonPath,
): void {
  if (!retry) return
  const { source } = context
  checkErrorCodes(context, retry.errors, [...path, 'errors'])
  checkErrorCodes(context, retry.except, [...path, 'except'])
  const warn = (keys: JsonPath, message: string, hint: string): void => {
    source.warn('NO_EFFECT', [...path, ...keys], message, hint)
  }
  const attempts = retry.attempts ?? defaults?.attempts ?? defaultRetry.attempts
  // A number that could not be read has been told about.
  const isUnread = retry.attempts === undefined && source.scalarAt([...path, 'attempts']) !== undefined
  // One attempt is news where the runbook says that there are more.
  const isOverride = retry.attempts !== undefined && (defaults?.attempts ?? defaultRetry.attempts) !== 1
  if (attempts === 1 && !isUnread && !isOverride) {
    const message = 'one attempt in all means that nothing is repeated'
    warn(retry.attempts === undefined ? [] : ['attempts'], message, 'such as attempts: 3')
  }
  for (const [index, code] of (retry.errors ?? []).entries()) {
    if (retry.except?.includes(code)) {
      warn(['errors', index], `"except" names "${String(code)}", too, and wins`, 'leave it out')
    } else if (code === 'RequestTooFrequently') {
      const message = 'refusals by the rate limit are waited out, and are no attempts'
      warn(['errors', index], message, 'throttle: { max-wait: … } says how long')
    }
  }
}

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
    source.add('TIMEOUT_TOO_SHORT', at, message, hint)
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
