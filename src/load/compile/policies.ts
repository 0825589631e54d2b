import { defaultRetry, defaultThrottle } from '../../core/calls/index.ts'
import type { JsonPath } from '../../core/json.ts'
import type { RetryPolicy, ThrottlePolicy, Tolerance } from '../../core/plan/index.ts'
import { parseDuration } from '../../core/times/index.ts'
import { languageDefaults } from '../language/defaults.ts'
import { runbookLimits } from '../limits.ts'
import type { RetryKeys, ThrottleKeys } from '../runbook-document.ts'
import type { CompileContext } from './context.ts'
import { compileCount, compileDuration, settingsOf } from './settings.ts'

/** Merges key by key: the step's, the defaults of the runbook, the defaults of the language. */
export function retryPolicy(
  context: CompileContext,
  own: RetryKeys | undefined,
  step: JsonPath,
): RetryPolicy {
  const keys = { ...context.document.defaults?.retry, ...own }
  const holder = own?.attempts === undefined ? ['defaults'] : step
  return {
    ...settingsOf({
      attempts: compileCount(context, keys.attempts, [...holder, 'retry', 'attempts'], {
        otherwise: defaultRetry.attempts,
        most: runbookLimits.attempts,
      }),
    }),
    delayMs: milliseconds(keys.delay, defaultRetry.delayMs),
    backoff: keys.backoff ?? defaultRetry.backoff,
    maxDelayMs: milliseconds(keys['max-delay'], defaultRetry.maxDelayMs),
    ...(keys.jitter ? { jitter: keys.jitter } : {}),
    ...(keys.errors === undefined ? {} : { errors: texts(keys.errors) }),
    ...(keys.except === undefined ? {} : { except: texts(keys.except) }),
  }
}

export function throttlePolicy(
  context: CompileContext,
  own: ThrottleKeys | undefined,
  step: JsonPath,
): ThrottlePolicy {
  const given = own?.['max-wait']
  const path = given === undefined ? ['defaults'] : step
  return settingsOf({
    maxWaitMs: compileDuration(
      context,
      given ?? context.document.defaults?.throttle?.['max-wait'],
      [...path, 'throttle', 'max-wait'],
      { otherwise: defaultThrottle.maxWaitMs },
    ),
  })
}

/** A duration that the shape check has let through. */
export function milliseconds(text: string | undefined, otherwise: number): number {
  return (text === undefined ? undefined : parseDuration(text)) ?? otherwise
}

export function tolerance(value: number | string | undefined): Tolerance {
  if (value === undefined) return languageDefaults.forEach.tolerate
  if (typeof value === 'number') return value
  return value === 'all' ? 'all' : { percent: Number.parseFloat(value) }
}

/** What is no text in a list of names has been told about. */
export function texts(values: readonly unknown[]): readonly string[] {
  return values.filter((value) => typeof value === 'string')
}
