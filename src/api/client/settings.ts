import { createHash } from 'node:crypto'
import type { InputProblem } from '../../core/action.ts'
import { defaultRetry, defaultThrottle } from '../../core/calls/index.ts'
import type { RetryPolicy } from '../../core/plan/index.ts'
import { RunbookError } from '../../core/run-error.ts'
import { hint } from '../../core/text/index.ts'
import { isProxyUrl, type ProxyChoice } from '../http/agents.ts'
import { operations } from '../operations/index.ts'
import { invalidInput } from '../validation/check-input.ts'
import type { ClientLimits, ClientOptions } from './client-options.ts'

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
  if (options.appKey === undefined || options.appKey === '')
    throw new RunbookError('MissingKey', 'createClient: appKey is missing', { notSent: true })
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
    maxWaitMs: options.maxWaitMs ?? defaultThrottle.maxWaitMs,
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

type Check = (value: unknown) => string | undefined

const checks: Readonly<Record<string, Check>> = {
  baseUrl: baseUrlComplaint,
  appKey: keyComplaint,
  account: (value) => (isText(value) ? undefined : 'must be text that is not empty'),
  budget: hasMethods('acquire', 'pause'),
  targetLocks: hasMethods('acquire'),
  limits: limitsComplaint,
  maxWaitMs: wholeNumber(0),
  retry: retryComplaint,
  acceptLanguage: (value) =>
    isText(value) && /^[\w ,;=.*-]+$/.test(value)
      ? undefined
      : 'must be a language range such as "en" or "de, en;q=0.5"',
  maxAnswerBytes: wholeNumber(1),
  proxy: proxyComplaint,
  concurrency: wholeNumber(1),
  logger: hasMethods('debug', 'warn'),
}

/** Everything that is wrong with the options of a client. No value is quoted: it can be the key in the wrong place. */
function optionProblems(options: unknown): readonly InputProblem[] {
  if (!isRecord(options)) return [{ path: 'options', message: 'must be an object' }]
  const names = Object.keys(checks)
  const unknown = Object.keys(options)
    .filter((name) => !names.includes(name))
    .map((name) => ({ path: name, message: `is not a known option${hint(name, names)}` }))
  const wrong = names.flatMap((name) => {
    const value = options[name]
    const isLeftOut = value === undefined && name !== 'baseUrl'
    const message = isLeftOut ? undefined : checks[name]?.(value)
    return message === undefined ? [] : [{ path: name, message }]
  })
  return [...unknown, ...wrong]
}

function baseUrlComplaint(value: unknown): string | undefined {
  if (!isText(value)) return 'is missing: the address of the service, such as "https://api.example.com"'
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !/^https?:\/\//i.test(value)) return 'must be an absolute http or https URL'
  if (url.username !== '' || url.password !== '') return 'must not hold credentials'
  if (/[?#]/.test(value)) return 'must not have a query or a fragment; the key has its own option'
  return /\s/.test(value) ? 'must not contain white space' : undefined
}

function keyComplaint(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be text'
  return /[\s\p{Cc}\p{Cf}\p{Cs}]/u.test(value)
    ? 'must not contain white space, line breaks or control characters'
    : undefined
}

function proxyComplaint(value: unknown): string | undefined {
  if (value === 'none') return undefined
  return isProxyUrl(value)
    ? undefined
    : 'must be the URL of a proxy, in which % of a name or password is %25, or "none"'
}

function retryComplaint(value: unknown): string | undefined {
  if (!isRecord(value)) return 'must be an object'
  const { attempts, delayMs, backoff, maxDelayMs, jitter, errors, except, ...unknown } = value
  const [name] = Object.keys(unknown)
  const names = [...Object.keys(defaultRetry), 'jitter', 'errors', 'except']
  if (name !== undefined) return `has the unknown field ${JSON.stringify(name)}${hint(name, names)}`
  if (attempts !== undefined && wholeNumber(1)(attempts)) return 'attempts must be a whole number from 1'
  for (const [field, number] of Object.entries({ delayMs, maxDelayMs, backoff })) {
    const isFine =
      number === undefined || (typeof number === 'number' && number >= 0 && Number.isFinite(number))
    if (!isFine) return `${field} must be a number from 0`
  }
  if (jitter !== undefined && !(typeof jitter === 'number' && jitter >= 0 && jitter <= 1))
    return 'jitter must be a number from 0 to 1'
  const isListOfText = (list: unknown): boolean =>
    list === undefined || (Array.isArray(list) && list.every(isText))
  return isListOfText(errors) && isListOfText(except)
    ? undefined
    : 'errors and except must be lists of error codes'
}

function limitsComplaint(value: unknown): string | undefined {
  if (value === 'document' || value === 'off') return undefined
  if (!isRecord(value)) return 'must be "document", "off", or an object'
  for (const [method, limit] of Object.entries(value)) {
    if (!Object.hasOwn(operations, method))
      return `names the unknown operation ${JSON.stringify(method)}${hint(method, Object.keys(operations))}`
    if (limit === 'off') continue
    const numbers = isRecord(limit) ? Object.entries(limit) : [['', undefined] as const]
    const isLimit = ([name, max]: readonly [string, unknown]): boolean =>
      ['perSecond', 'perMinute', 'perDay'].includes(name) && wholeNumber(1)(max) === undefined
    if (!numbers.every(isLimit))
      return `for ${method} must be "off" or whole numbers for perSecond, perMinute, perDay`
  }
  return undefined
}

function wholeNumber(least: number): Check {
  return (value) =>
    Number.isSafeInteger(value) && (value as number) >= least
      ? undefined
      : `must be a whole number from ${least}`
}

function hasMethods(...names: readonly string[]): Check {
  return (value) =>
    isRecord(value) && names.every((name) => typeof value[name] === 'function')
      ? undefined
      : `must have the functions ${names.join(', ')}`
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
