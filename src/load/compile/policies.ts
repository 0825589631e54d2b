import type { Tolerance } from '../../core/batch.ts'
import { parseDuration } from '../../core/duration.ts'
import { defaultRetry, defaultThrottle, type RetryPolicy, type ThrottlePolicy } from '../../core/retry.ts'
import type { RetryKeys, ThrottleKeys } from '../runbook-document.ts'

/** Merges key by key: the step's, the defaults of the runbook, the defaults of the language. */
export function retryPolicy(defaults: RetryKeys | undefined, own: RetryKeys | undefined): RetryPolicy {
  const keys = { ...defaults, ...own }
  return {
    attempts: keys.attempts ?? defaultRetry.attempts,
    delayMs: milliseconds(keys.delay, defaultRetry.delayMs),
    backoff: keys.backoff ?? defaultRetry.backoff,
    maxDelayMs: milliseconds(keys['max-delay'], defaultRetry.maxDelayMs),
    ...(keys.jitter ? { jitter: keys.jitter } : {}),
    ...(keys.errors === undefined ? {} : { errors: texts(keys.errors) }),
    ...(keys.except === undefined ? {} : { except: texts(keys.except) }),
  }
}

export function throttlePolicy(
  defaults: ThrottleKeys | undefined,
  own: ThrottleKeys | undefined,
): ThrottlePolicy {
  return { maxWaitMs: milliseconds(own?.['max-wait'] ?? defaults?.['max-wait'], defaultThrottle.maxWaitMs) }
}

/** A duration that the shape check has let through. */
export function milliseconds(text: string | undefined, otherwise: number): number {
  return (text === undefined ? undefined : parseDuration(text)) ?? otherwise
}

export function tolerance(value: number | string | undefined): Tolerance {
  if (value === undefined) return 0
  if (typeof value === 'number') return value
  return value === 'all' ? 'all' : { percent: Number.parseFloat(value) }
}

/** What is no text in a list of names has been told about. */
export function texts(values: readonly unknown[]): readonly string[] {
  return values.filter((value) => typeof value === 'string')
}
