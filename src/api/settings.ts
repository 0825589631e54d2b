import { createHash } from 'node:crypto'
import type { InputProblem } from '../core/action.ts'
import { defaultRetry, type RetryPolicy } from '../core/retry.ts'
import { RunbookError } from '../core/run-error.ts'
import { invalidInput } from './check-input.ts'
import { optionProblems } from './check-options.ts'
import type { ClientLimits, ClientOptions } from './client-options.ts'
import type { ProxyChoice } from './proxies.ts'

/** Checked options with their defaults. Holds the key: never to be shown. */
export interface Settings {
  readonly origin: string
  /** Path of the base URL without a slash at its end. */
  readonly basePath: string
  readonly appKey: string
  readonly account: string
  /** Stands for the key where the key must not stand. */
  readonly keyId: string
  readonly limits: ClientLimits
  readonly maxWaitMs: number
  readonly retry: RetryPolicy
  readonly acceptLanguage: string
  readonly maxAnswerBytes: number
  readonly proxy: ProxyChoice
  readonly concurrency: number
}

/** The settings, or at once `MissingKey` or `InvalidInput` with every wrong option. */
export function readSettings(options: ClientOptions): Settings {
  const problems: readonly InputProblem[] = optionProblems(options)
  if (problems.length > 0) throw invalidInput('createClient', problems)
  if (options.appKey === undefined || options.appKey === '') {
    throw new RunbookError('MissingKey', 'createClient: appKey is missing', { notSent: true })
  }
  const url = new URL(options.baseUrl)
  const basePath = url.pathname.replace(/\/+$/, '')
  const keyId = createHash('sha256')
    .update(`${url.origin}${basePath}\n${options.appKey}`)
    .digest('hex')
    .slice(0, 12)
  return {
    origin: url.origin,
    basePath,
    appKey: options.appKey,
    keyId,
    account: options.account ?? `${url.host}${basePath}#${keyId}`,
    limits: options.limits ?? 'document',
    maxWaitMs: options.maxWaitMs ?? 600_000,
    retry: { ...defaultRetry, ...options.retry },
    acceptLanguage: options.acceptLanguage ?? 'en',
    maxAnswerBytes: options.maxAnswerBytes ?? 32 * 1024 * 1024,
    proxy: proxyChoice(options.proxy),
    concurrency: options.concurrency ?? 500,
  }
}

function proxyChoice(proxy: string | undefined): ProxyChoice {
  if (proxy === undefined) return { kind: 'environment' }
  return proxy === 'none' ? { kind: 'none' } : { kind: 'url', url: proxy }
}
