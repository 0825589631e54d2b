import type { OwnErrorCode } from '../../core/errors.ts'
import { RunbookError } from '../../core/run-error.ts'
import type { TemporalSettings } from './connection.ts'

/** The codes of gRPC that tell one lack of the surroundings from another. */
export const grpcCodes = {
  cancelled: 1,
  deadline: 4,
  notFound: 5,
  denied: 7,
  exhausted: 8,
  preconditionFailed: 9,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const

/** What can be said of a server that does not do what it is asked. */
export function connectionError(
  thrown: unknown,
  { address, namespace, tls, apiKey }: TemporalSettings,
): RunbookError {
  const { code, details } = grpcError(thrown)
  const refuse = (as: OwnErrorCode, message: string): RunbookError =>
    new RunbookError(as, message, { cause: thrown, notSent: true })
  if (code === grpcCodes.notFound) {
    return refuse('NamespaceNotFound', `the server at ${address} has no namespace "${namespace}"`)
  }
  if (code === grpcCodes.denied || code === grpcCodes.unauthenticated) {
    return refuse('TemporalDenied', `the server at ${address} refuses access to "${namespace}": ${details}`)
  }
  if (isRefused(thrown)) {
    return refuse(
      'TemporalUnavailable',
      `the Temporal server at ${address} does not take this now: ${details}`,
    )
  }
  const how = (tls ?? apiKey) ? 'with TLS' : 'without TLS'
  if (code === grpcCodes.deadline) {
    return refuse('TemporalUnavailable', `no Temporal server answers in time at ${address} (${how})`)
  }
  return refuse(
    'TemporalUnavailable',
    `no Temporal server answers at ${address} (${how}): ${reasonOf(details)}`,
  )
}

/** The server is there, and did not do what it was asked: it has too much to do, or is broken. */
export function isRefused(thrown: unknown): boolean {
  const { code } = grpcError(thrown)
  return code === grpcCodes.exhausted || code === grpcCodes.internal
}

/** The code and the words of the failed request behind an error, if there is one. */
export function grpcError(thrown: unknown): { readonly code?: number; readonly details: string } {
  for (let error: unknown = thrown; error instanceof Error; error = error.cause) {
    const { code, details } = error as { readonly code?: unknown; readonly details?: unknown }
    if (typeof code === 'number')
      return { code, details: typeof details === 'string' ? details : error.message }
  }
  return { details: thrown instanceof Error ? thrown.message : String(thrown) }
}

/** The words of the libraries around the reason say nothing to anybody. */
function reasonOf(details: string): string {
  if (/wrong version number|packet length too long/i.test(details)) return 'it does not speak TLS there'
  const text = details.replace(/^No connection established\. Last error: /, '').replace(/^Error: /, '')
  return text.split('\n')[0]?.replace(/\. Resolution note: *$/, '') ?? text
}
