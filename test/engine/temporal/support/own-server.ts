import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { searchAttributes } from '../../../../src/engine/temporal/index.ts'
import { retryStart } from '../../../support/retry-start.ts'
import { type DevServer, startDevServer } from '../../../support/temporal-server.ts'

/** A server that no other test uses, whatever server the environment names. */
export interface OwnServer {
  readonly address: string
  kill(): Promise<void>
  /** Starts it again at its address, with what is in its file. */
  restart(): Promise<void>
  close(): Promise<void>
}

export async function openOwnServer(): Promise<OwnServer> {
  const folder = mkdtempSync(join(tmpdir(), 'opsbook-server-'))
  const environment = { ...process.env, TEMPORAL_ADDRESS: undefined }
  const databaseFile = join(folder, 'temporal.db')
  const open = (port?: number): Promise<DevServer> =>
    retryStart(() =>
      startDevServer({
        environment,
        databaseFile,
        searchAttributes,
        ...(port === undefined ? {} : { port }),
      }),
    )
  let server = await open()
  const { address } = server
  return {
    address,
    async kill() {
      process.kill(server.processId as number, 'SIGKILL')
      await server.ended
    },
    async restart() {
      server = await open(Number(address.split(':')[1]))
    },
    async close() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
