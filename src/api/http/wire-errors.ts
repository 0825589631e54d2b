import type { OwnErrorCode } from '../../core/errors.ts'
import { RunbookError } from '../../core/run-error.ts'
import type { Scrubber } from '../secrets/scrub.ts'
import { proxyFailureCode } from './agents.ts'

/** Where an error of the network happened. */
export interface WireSituation {
  /** Bytes of the request may have left. Only false proves that nothing was executed. */
  readonly isSent: boolean
  readonly origin: string
  readonly scrub: Scrubber
  /** Where the head of an answer came before the error. */
  readonly requestId: string | undefined
}

/** The error of a network, a proxy or a parser as one of our codes. Before sending it proves that nothing was done. */
export function wireFailure(error: unknown, situation: WireSituation): RunbookError {
  const { isSent, origin, scrub, requestId } = situation
  const code = isSent ? codeAfterSending(error) : codeBeforeSending(error)
  const message = `${whatHappened[code] ?? 'the request failed'} (${origin}): ${scrub.text(describe(error))}`
  return new RunbookError(code, message, {
    notSent: !isSent,
    cause: plainCause(error, scrub),
    ...(requestId ? { requestId } : {}),
  })
}

const whatHappened: { readonly [code in OwnErrorCode]?: string } = {
  NameNotFound: 'the host name cannot be resolved',
  ConnectionRefused: 'no connection could be made',
  ConnectTimeout: 'no connection could be made in time',
  TlsFailed: 'the TLS handshake failed',
  ProxyRefused: 'the proxy made no connection',
  ConnectionLost: 'the connection broke before the answer was complete',
  ForeignAnswer: 'the answer is not HTTP',
  AttemptTimeout: 'no complete answer came in time',
  Cancelled: 'the client is closed',
}

function codeBeforeSending(error: unknown): OwnErrorCode {
  const code = errorCode(error)
  const text = describe(error)
  if (code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED') return 'Cancelled'
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) return 'NameNotFound'
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'ConnectTimeout'
  const isProxys =
    code === proxyFailureCode || code.startsWith('UND_ERR_SOCKS5') || text.includes('Proxy response')
  if (isProxys) return 'ProxyRefused'
  return isTlsCode(code) || text.includes('TLS') ? 'TlsFailed' : 'ConnectionRefused'
}

function codeAfterSending(error: unknown): OwnErrorCode {
  const code = errorCode(error)
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return 'AttemptTimeout'
  // An answer that stops is a broken connection; another violation of HTTP is from another program.
  const isNoHttp =
    error instanceof Error && error.name === 'HTTPParserError' && !error.message.includes('EOF')
  return isNoHttp || code === 'UND_ERR_HEADERS_OVERFLOW' ? 'ForeignAnswer' : 'ConnectionLost'
}

function isTlsCode(code: string): boolean {
  return /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO$|UND_ERR_PRX_TLS$|HOSTNAME_MISMATCH)/.test(
    code,
  )
}

function errorCode(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : ''
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // Several addresses were tried: the message of the whole is empty.
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ')
  return opensslReason(error.message) ?? error.message
}

/** What OpenSSL means, without its error number, its function and its file. */
function opensslReason(message: string): string | undefined {
  const reason = /\berror:[0-9A-F]{8}:[^:]*:[^:]*:([^:]+)/.exec(message)?.[1]
  return reason === 'wrong version number' ? 'the server does not speak TLS on this port' : reason
}

/** The original with nothing but its name, code and message: undici's errors hold parts of requests and answers. */
function plainCause(error: unknown, scrub: Scrubber): Error {
  const code = errorCode(error)
  const cause = new Error(scrub.text(describe(error)))
  if (error instanceof Error) cause.name = error.name
  return code === '' ? cause : Object.assign(cause, { code })
}
