import { formatDuration, parseDuration } from '../../core/duration.ts'
import type { JsonPath } from '../json-path.ts'
import type { RetryKeys, StepKeys } from '../runbook-document.ts'
import type { Source } from '../source.ts'
import type { CompileContext } from './context.ts'

/** Durations of a runbook that are no time at all where there must be some. */
const positive: readonly JsonPath[] = [['timeout'], ['attempt-timeout'], ['repeat', 'max-wait']]

/** Judges the times of a step by themselves; the ones an action needs are judged with its arguments. */
export function checkStepTimes(context: CompileContext, step: StepKeys, path: JsonPath): void {
  const { source } = context
  for (const keys of positive) checkPositive(source, step, keys, path)
  checkRetryTimes(source, step.retry, context.document.defaults?.retry, [...path, 'retry'])
  const { interval, 'max-wait': maxWait } = step.repeat ?? {}
  const pause = durationOf(interval)
  const most = durationOf(maxWait) ?? 600_000
  if (pause !== undefined && pause >= most && most > 0) {
    const message = `after ${interval} the ${formatDuration(most)} of max-wait are over, so nothing is ever repeated`
    addContradiction(source, [...path, 'repeat', 'interval'], message)
  }
  const limit = durationOf(step.timeout)
  const attempt = durationOf(step['attempt-timeout'])
  if (limit !== undefined && attempt !== undefined && attempt > limit) {
    const at = [...path, 'attempt-timeout']
    const message = `the step has ${step.timeout} in all, so one attempt never takes ${step['attempt-timeout']}`
    source.findings.warn('NO_EFFECT', at, source.rangeOf(at), message)
  }
}

/** The times of the whole runbook. */
export function checkDocumentTimes({ source, document }: CompileContext): void {
  checkPositive(source, document, ['timeout'], [])
  checkPositive(source, document, ['defaults', 'attempt-timeout'], [])
  checkRetryTimes(source, document.defaults?.retry, undefined, ['defaults', 'retry'])
}

/** A pause that grows must have room to grow. */
function checkRetryTimes(
  source: Source,
  own: RetryKeys | undefined,
  defaults: RetryKeys | undefined,
  path: JsonPath,
): void {
  const { delay } = own ?? {}
  const most = own?.['max-delay'] ?? defaults?.['max-delay'] ?? '30s'
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
  const at = [...path, ...keys]
  const message = `"${String(keys.at(-1))}" must be longer than ${value}`
  source.findings.add('TIMEOUT_TOO_SHORT', at, source.rangeOf(at), message)
}

export function addContradiction(source: Source, path: JsonPath, message: string, hint?: string): void {
  source.findings.add('CONTRADICTING_TIMES', path, source.rangeOf(path), message, hint)
}

function durationOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(text)
}
