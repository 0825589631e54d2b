import {
  Client,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client'
import { dataConverterFor } from './codec/data-converter.ts'
import { connectionError } from './connection-error.ts'
import { quietWhenClosed } from './quiet-when-closed.ts'

/** Which Temporal server, and where on it. */
export interface TemporalSettings {
  /** Host and port. */
  readonly address: string
  readonly namespace: string
  /** Task queue of runs. The calls they make have one of their own: {@link actionQueueOf}. */
  readonly taskQueue: string
  readonly tls?: NonNullable<ConnectionOptions['tls']>
  readonly apiKey?: string
  /** Goes with every request, such as what a proxy wants. */
  readonly metadata?: Readonly<Record<string, string>>
}

/** The queue of the calls that the runs of a queue make. */
export function actionQueueOf(taskQueue: string): string {
  return `${taskQueue}-actions`
}

/** How long the first answer of a server may take. */
const firstAnswerMs = 5000

/** The longest pause between two tries to connect again: the default is two minutes, long after the server is back. */
const longestReconnectMs = 2000

/**
 * Connects a client, and has a first answer of the server. Closing its connection is the caller's. Rejects with
 * `TemporalUnavailable`, `TemporalDenied` or `NamespaceNotFound`; with `PayloadUnreadable` where the keys for payloads
 * cannot be read.
 */
export async function connectClient(settings: TemporalSettings): Promise<Client> {
  const { namespace } = settings
  // Before the server is asked: what is wrong with the keys is no matter of the server.
  const dataConverter = dataConverterFor('throw')
  const usual = defaultGrpcRetryOptions()
  let isAnswered = false
  let connection: Connection | undefined
  try {
    const opened = Connection.lazy({
      ...serverOf(settings),
      channelArgs: { 'grpc.max_reconnect_backoff_ms': longestReconnectMs },
      interceptors: [
        makeGrpcRetryInterceptor({
          ...usual,
          // Whoever has named a server where there is none is told at once.
          retryableDecider: (attempt, status) => isAnswered && usual.retryableDecider(attempt, status),
        }),
        quietWhenClosed,
      ],
    })
    connection = opened
    await opened.withDeadline(Date.now() + firstAnswerMs, () =>
      opened.workflowService.describeNamespace({ namespace }),
    )
    isAnswered = true
    return new Client({ connection: opened, namespace, dataConverter })
  } catch (thrown) {
    await connection?.close()
    throw connectionError(thrown, settings)
  }
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
    ...(tls === undefined ? {} : { tls }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(metadata === undefined ? {} : { metadata }),
  }
}
