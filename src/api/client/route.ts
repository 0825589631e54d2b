import { type RateWindow, windowsOf } from '../../core/pacing/index.ts'
import type { AnswerContext } from '../http/answer-head.ts'
import { type OperationMethod, operations } from '../operations/index.ts'
import type { AnyOperation } from '../operations/operation.ts'
import { createKeyMask, type KeyMask, type Scrubber } from '../secrets/scrub.ts'
import type { ClientLimits, LimitOverride } from './client-options.ts'
import type { Settings } from './settings.ts'

/** An operation as one client calls it: everything that is the same for all of its calls. */
export interface OperationRoute {
  readonly operation: AnyOperation
  /** With the key: never to be shown. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Who shares the count: all keys of the account, or this key alone. */
  readonly rateKey: string
  /** The windows that calls must fit; none where they are not limited. */
  readonly windows: readonly RateWindow[]
  /** How answers are judged, as long as the input holds no secrets. */
  readonly context: AnswerContext
}

export type Routes = Readonly<Record<OperationMethod, OperationRoute>>

export function createRoutes(settings: Settings, scrub: Scrubber): Routes {
  const maskKey = createKeyMask(settings.appKey)
  const entries = Object.entries(operations).map(([method, operation]) => [
    method,
    createRoute(method as OperationMethod, operation, settings, scrub, maskKey),
  ])
  return Object.fromEntries(entries) as Routes
}

function createRoute(
  method: OperationMethod,
  operation: AnyOperation,
  settings: Settings,
  scrub: Scrubber,
  maskKey: KeyMask,
): OperationRoute {
  const { account, keyId, basePath, appKey, limits } = settings
  const counted = operation.limit.per === 'app_key' ? `${account}/${keyId}` : account
  return {
    operation,
    path: `${basePath}/${operation.name}?app_key=${encodeURIComponent(appKey)}`,
    headers: {
      'content-type': 'application/json',
      accept: operation.answer === 'ndjson' ? 'application/x-ndjson, application/json' : 'application/json',
      'accept-encoding': 'identity',
      'accept-language': settings.acceptLanguage,
      'user-agent': 'opsbook',
    },
    rateKey: `${counted}/${operation.name}`,
    context: { operation, scrub, maxAnswerBytes: settings.maxAnswerBytes, maskKey },
    windows: windowsFor(method, operation, limits),
  }
}

function windowsFor(
  method: OperationMethod,
  operation: AnyOperation,
  limits: ClientLimits,
): readonly RateWindow[] {
  const own: LimitOverride | undefined = typeof limits === 'object' ? limits[method] : undefined
  const limit = limits === 'off' ? 'off' : (own ?? operation.limit)
  return limit === 'off' ? [] : windowsOf(limit)
}
