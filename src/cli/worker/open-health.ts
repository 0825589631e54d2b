import { findFreePort } from '../../engine/temporal/server/find-free-port.ts'
import { serveHealth } from '../../engine/temporal/worker/serve-health.ts'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'
import type { ListenAddress } from '../read-listen.ts'

/** Tells how a worker is, from before there is one. */
export interface Health {
  /** Where the SDK is to offer its metrics. */
  readonly metricsPort: number
  /** Until this is called nothing is ready. */
  watch(isReady: () => Promise<boolean>): void
  close(): Promise<void>
}

/** Takes the address. Rejects with a `CommandError` when it cannot be had. */
export async function openHealth(
  { host, port }: ListenAddress,
  hostNames: readonly string[],
): Promise<Health> {
  let ask = async (): Promise<boolean> => false
  const metricsPort = await findFreePort()
  const server = await serveHealth({ isReady: () => ask(), metricsPort, hostNames }, port, host).catch(
    (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'is in use' : `cannot be used: ${cause.message}`
      throw new CommandError(exitCodes.environment, `--listen: ${host}:${port} ${why}`, {
        hints: ['name another port, or an address of this machine'],
        cause,
      })
    },
  )
  return {
    metricsPort,
    watch(isReady) {
      ask = isReady
    },
    close: () => server.close(),
  }
}
