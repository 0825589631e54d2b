import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { searchAttributes } from '../../../src/engine/temporal/index.ts'
import { type DevServer, startDevServer } from '../../../src/engine/temporal/server/index.ts'

/** A server that is killed, and comes back at its address with what is in its file. */
export interface MortalServer {
  readonly address: string
  /** Kills it, and resolves when it answers again, so much later. Undefined: it is down already. */
  fail(outageMs: number): Promise<void> | undefined
  close(): Promise<void>
}

/** Starts a server of our own, whatever server the environment names. */
export async function startMortalServer(folder: string): Promise<MortalServer> {
  const environment = { ...process.env, TEMPORAL_ADDRESS: undefined }
  const open = (port?: number): Promise<DevServer> =>
    startDevServer({
      environment,
      databaseFile: join(folder, 'temporal.db'),
      searchAttributes,
      ...(port === undefined ? {} : { port }),
    })
  let server = await open()
  const { address } = server
  let isDown = false
  const failNow = async (outageMs: number): Promise<void> => {
    process.kill(server.processId as number, 'SIGKILL')
    await server.ended
    await sleep(outageMs)
    server = await open(Number(address.split(':')[1]))
    isDown = false
  }
  return {
    address,
    fail(outageMs) {
      if (isDown) return undefined
      isDown = true
      return failNow(outageMs)
    },
    close: () => server.stop(),
  }
}
