import { Client, Connection } from '@temporalio/client'
import { inject, onTestFinished } from 'vitest'
import { dataConverterFor } from '../../../../src/engine/temporal/codec/create-codec.ts'

/** A client, and the requests that it has sent: their methods, and by when each was to be answered. */
export interface CountingClient {
  readonly client: Client
  readonly requests: string[]
  readonly deadlinesMs: number[]
}

/** A client that is closed with its test. */
export async function countingClient(address: string = inject('temporalAddress')): Promise<CountingClient> {
  const requests: string[] = []
  const deadlinesMs: number[] = []
  const connection = await Connection.connect({
    address,
    interceptors: [
      (options, nextCall) => {
        requests.push(options.method_definition.path.split('/').at(-1) ?? '')
        deadlinesMs.push(Number(options.deadline))
        // No two requests, one after the other, begin in the same millisecond.
        for (const nowMs = Date.now(); Date.now() === nowMs; );
        // It is typed as less than what it is.
        return nextCall(options) as never
      },
    ],
  })
  onTestFinished(() => connection.close())
  return {
    client: new Client({ connection, dataConverter: dataConverterFor('throw') }),
    requests,
    deadlinesMs,
  }
}
