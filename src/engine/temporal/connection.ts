import {
  Client,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  NamespaceNotFoundError,
} from '@temporalio/client'
import type { OwnErrorCode } from '../../core/errors.ts'
import { withoutUndefined } from '../../core/json.ts'
import { RunbookError } from '../../core/run-error.ts'
import { dataConverterFor } from './codec/create-codec.ts'
import { nameMessages } from './codec/name-messages.ts'
import { findMistake } from './tls-mistake.ts'

/** Which Temporal server, and where on it. */
export interface TemporalSettings {
  /** Host and port. */
  readonly address: string
  readonly namespace: string
  /** Task queue of runs. Their calls use another one: {@link actionQueueOf}. */
  readonly taskQueue: string
  readonly tls?: NonNullable<ConnectionOptions['tls']>
  readonly apiKey?: string
  /** Headers of every request, such as those that a proxy needs. */
  readonly metadata?: Readonly<Record<string, string>>
}

/** The queue of the calls that the runs of a queue make. */
export function actionQueueOf(taskQueue: string): string {
  return `${taskQueue}-actions`
}

/** How long the first answer of a server may take. */
const firstAnswerMs = 5000

/** The longest pause before the client connects again. The default of gRPC is two minutes. */
const longestReconnectMs = 2000

/**
 * Connects a client, and waits for a first answer of the server. The caller closes the connection. Rejects with
 * `TemporalUnavailable`, `TemporalTlsFailed`, `TemporalDenied` or `NamespaceNotFound`, or with `PayloadUnreadable` when
 * the keys for payloads cannot be read. `retriesBusy`: false for a caller that repeats earlier what the server is too busy
 * for. The SDK pauses for seconds.
 */
export async function connectClient(
  settings: TemporalSettings,
  { retriesBusy = true }: { readonly retriesBusy?: boolean } = {},
): Promise<Client> {
  const { namespace } = settings
  // Before the first request: wrong keys are no problem of the server.
  const dataConverter = dataConverterFor('throw')
  const usual = defaultGrpcRetryOptions()
  let isAnswered = false
  let connection: Connection | undefined
  try {
    const opened = Connection.lazy({
      ...serverOf(settings),
      channelArgs: { 'grpc.max_reconnect_backoff_ms': longestReconnectMs },
      interceptors: [
        unlessHeartbeat(
          makeGrpcRetryInterceptor({
            ...usual,
            // Without a server at the address, the command fails without retries.
            retryableDecider: (attempt, status) =>
              isAnswered &&
              (retriesBusy || status.code !== grpcCodes.exhausted) &&
              usual.retryableDecider(attempt, status),
          }),
        ),
        quietWhenClosed,
      ],
    })
    connection = opened
    await opened.withDeadline(Date.now() + firstAnswerMs, () =>
      opened.workflowService.describeNamespace({ namespace }),
    )
    isAnswered = true
    const interceptors = { workflow: [nameMessages] }
    return new Client({ connection: opened, namespace, dataConverter, interceptors })
  } catch (thrown) {
    await connection?.close()
    throw openingError(thrown, settings)
  }
}

/** The error of a connection that was never made: it also knows the mistakes that are made with TLS. */
export function openingError(thrown: unknown, settings: TemporalSettings): RunbookError {
  const { code: grpcCode = grpcCodes.unavailable, details } = grpcError(thrown)
  const mistake = grpcCode === grpcCodes.unavailable ? findMistake(details, settings) : undefined
  if (!mistake) return connectionError(thrown, settings)
  const { code, reason, next } = mistake
  const message = `no connection to the Temporal server at ${settings.address} (${howOf(settings)}): ${reason}`
  return new RunbookError(code, message, { cause: thrown, notSent: true, next })
}

function howOf({ tls, apiKey }: Pick<TemporalSettings, 'tls' | 'apiKey'>): string {
  return (tls ?? apiKey) ? 'with TLS' : 'without TLS'
}

/** What a connection is opened with, by a client or by a worker. */
export function serverOf({ address, tls, apiKey, metadata }: TemporalSettings): {
  readonly address: string
  readonly tls?: NonNullable<ConnectionOptions['tls']>
  readonly apiKey?: string
  readonly metadata?: Record<string, string>
} {
  return {
    address,
    ...withoutUndefined({ tls, apiKey, metadata }),
  }
}

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number]

/** A heartbeat replaces the one before it: a repeated one could arrive after the next one. The caller sends another. */
function unlessHeartbeat(retry: Interceptor): Interceptor {
  return (options, nextCall) =>
    options.method_definition.path.endsWith('/RecordActivityTaskHeartbeat')
      ? (nextCall(options) as ReturnType<Interceptor>)
      : retry(options, nextCall)
}

/** A call without effect, for a closed connection. */
const nothing = {
  start() {},
  sendMessage() {},
  sendMessageWithContext() {},
  halfClose() {},
  cancelWithStatus() {},
}

/**
 * Keeps a retry of the SDK on a closed connection from ending the process: the SDK retries from a timer, where no caller
 * can catch the error. Comes after the interceptor that retries.
 */
const quietWhenClosed: Interceptor = (options, nextCall) => {
  try {
    return nextCall(options) as ReturnType<Interceptor>
  } catch {
    return nothing as unknown as ReturnType<Interceptor>
  }
}

/** The gRPC codes that the engine distinguishes. */
export const grpcCodes = {
  cancelled: 1,
  deadline: 4,
  notFound: 5,
  denied: 7,
  exhausted: 8,
  preconditionFailed: 9,
  aborted: 10,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const

/** The error of a command whose request to the server has failed. */
export function connectionError(thrown: unknown, settings: TemporalSettings): RunbookError {
  const { address, namespace } = settings
  const { code, details } = grpcError(thrown)
  const refuse = (as: OwnErrorCode, message: string): RunbookError =>
    new RunbookError(as, message, { cause: thrown, notSent: true })
  if (code === grpcCodes.notFound || thrown instanceof NamespaceNotFoundError)
    return refuse('NamespaceNotFound', `the server at ${address} has no namespace "${namespace}"`)
  if (code === grpcCodes.denied || code === grpcCodes.unauthenticated)
    return refuse('TemporalDenied', `the server at ${address} refuses access to "${namespace}": ${details}`)
  if (isRefused(thrown)) {
    return refuse(
      'TemporalUnavailable',
      `the Temporal server at ${address} does not take this now: ${details}`,
    )
  }
  const how = howOf(settings)
  if (code === grpcCodes.deadline)
    return refuse('TemporalUnavailable', `no Temporal server answers in time at ${address} (${how})`)
  return refuse(
    'TemporalUnavailable',
    `no Temporal server answers at ${address} (${how}): ${reasonOf(details)}`,
  )
}

/** The server has answered and refused the request: it is overloaded, or has an internal error. */
export function isRefused(thrown: unknown): boolean {
  const { code } = grpcError(thrown)
  return code === grpcCodes.exhausted || code === grpcCodes.internal
}

/** The gRPC code and the message of the failed request behind an error. */
export function grpcError(thrown: unknown): { readonly code?: number; readonly details: string } {
  for (let error: unknown = thrown; error instanceof Error; error = error.cause) {
    const { code, details } = error as { readonly code?: unknown; readonly details?: unknown }
    if (typeof code === 'number')
      return { code, details: typeof details === 'string' ? details : error.message }
  }
  return { details: thrown instanceof Error ? thrown.message : String(thrown) }
}

/** The reason, without the sentences that the libraries put around it. */
function reasonOf(details: string): string {
  const text = details.replace(/^No connection established\. Last error: /, '').replace(/^Error: /, '')
  return text.split('\n')[0]?.replace(/\. Resolution note: *$/, '') ?? text
}
