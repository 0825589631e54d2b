import { Connection } from '@temporalio/client'
import { loadClientConnectConfig } from '@temporalio/envconfig'
import { notFound, type Way } from '../way.ts'

const answerTimeoutMs = 5_000

/** A server that somebody else runs, under the settings that every tool of Temporal knows. */
export const running: Way = {
  name: () => 'a running server (TEMPORAL_ADDRESS)',
  async find({ environment }) {
    if (!environment['TEMPORAL_ADDRESS']) return notFound('TEMPORAL_ADDRESS is not set')
    try {
      const set = Object.entries(environment).filter((one): one is [string, string] => one[1] !== undefined)
      const overrideEnvVars = Object.fromEntries(set)
      const { connectionOptions } = loadClientConnectConfig({ overrideEnvVars })
      const connection = await Connection.connect({ ...connectionOptions, connectTimeout: answerTimeoutMs })
      const { address } = connection.options
      await connection.close()
      return { kind: 'running', address }
    } catch (error) {
      return notFound(`${environment['TEMPORAL_ADDRESS']} does not answer: ${(error as Error).message}`)
    }
  },
}
