import type { RateLimit } from '../../core/action.ts'
import type { Tolerance } from '../../core/batch.ts'
import type { UsesForecast } from '../../core/forecast/step-forecast.ts'
import type { LimitDocument, ToleranceDocument, UsesDocument } from './document.ts'

/** The call of an action as the document says it. */
export function usesDocument(uses: UsesForecast): UsesDocument {
  const { connection, limit, batch, saveAs, retry, attemptTimeoutMs, repeat } = uses
  return {
    action: uses.action,
    risk: uses.risk,
    ...(connection === undefined ? {} : { connection }),
    ...(limit === undefined ? {} : { limits: limitDocument(limit) }),
    arguments: uses.arguments,
    ...(batch === undefined ? {} : { batch }),
    ...(saveAs === undefined ? {} : { save_as: saveAs }),
    retry: {
      attempts: retry.attempts,
      ...(retry.errors === undefined ? {} : { errors: retry.errors }),
      ...(retry.except === undefined ? {} : { except: retry.except }),
    },
    tolerate: toleranceDocument(uses.tolerate),
    ...(attemptTimeoutMs === undefined ? {} : { attempt_timeout_ms: attemptTimeoutMs }),
    ...(repeat === undefined
      ? {}
      : { repeat: { until: repeat.until, interval_ms: repeat.intervalMs, max_wait_ms: repeat.maxWaitMs } }),
    expect: uses.expect,
    secrets: uses.secrets,
  }
}

export function limitDocument({ per, perSecond, perMinute, perDay }: RateLimit): LimitDocument {
  return {
    per,
    per_second: perSecond,
    per_minute: perMinute,
    ...(perDay === undefined ? {} : { per_day: perDay }),
  }
}

/** As a runbook writes it. */
export function toleranceDocument(tolerance: Tolerance): ToleranceDocument {
  return typeof tolerance === 'object' ? `${tolerance.percent}%` : tolerance
}
