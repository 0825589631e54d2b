import { type Client, Connection } from '@temporalio/client'
import { RunbookError, refused } from '../../../core/run-error.ts'
import { connectionError, grpcCodes, grpcError, type TemporalSettings } from '../connection.ts'

/** A server, and the task queue of the runs. */
export interface ClientPorts {
  readonly client: Client
  /** Of runs. */
  readonly taskQueue: string
}

/** Codes that are facts about the server, not about the run. */
const ofServer: readonly number[] = [
  grpcCodes.deadline,
  grpcCodes.notFound,
  grpcCodes.denied,
  grpcCodes.exhausted,
  grpcCodes.internal,
  grpcCodes.unavailable,
  grpcCodes.unauthenticated,
]

/** The error of the server behind a failed request; any other error stays as it is. */
export function serverError(thrown: unknown, ports: ClientPorts): unknown {
  if (RunbookError.is(thrown)) return thrown
  const { code, details } = grpcError(thrown)
  if (/search attribute/i.test(details)) {
    const message = `the namespace "${ports.client.options.namespace}" lacks a search attribute: ${details}`
    return new RunbookError('SearchAttributesMissing', message, { cause: thrown, notSent: true })
  }
  return code !== undefined && ofServer.includes(code) ? connectionError(thrown, placeOf(ports)) : thrown
}

/** Asks the server. Rejects with {@link serverError}. */
export async function atServer<T>(ports: ClientPorts, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (thrown) {
    throw serverError(thrown, ports)
  }
}

/** There is no such run on the server. */
export function noRun(runId: string, ports: ClientPorts): RunbookError {
  const { address, namespace } = placeOf(ports)
  return refused(
    `there is no run ${runId} in "${namespace}" at ${address}`,
    '"opsbook runs" lists those that are there.',
  )
}

/** Where a client is connected to. */
export function placeOf({ client, taskQueue }: ClientPorts): TemporalSettings {
  const { connection } = client
  const { namespace } = client.options
  if (!(connection instanceof Connection)) return { address: 'an unknown address', namespace, taskQueue }
  return { address: connection.options.address, namespace, taskQueue }
}
