import type { FastifyInstance } from 'fastify'
import { CommandError } from '../command-error.ts'
import type { ServeFlags } from '../commands/serve.ts'
import { exitCodes } from '../exit-codes.ts'
import { isLoopback, type ListenAddress, readListen } from '../read-listen.ts'

const defaultHealth = '127.0.0.1:8688'

/**
 * Where health and metrics are apart from the hooks: where the flag says so, and wherever other machines reach the hooks,
 * since the names and numbers in them are for the operator. Undefined: they are with the hooks.
 */
export function readHealthAddress(
  { listenHealth }: Pick<ServeFlags, 'listenHealth'>,
  { host }: ListenAddress,
): ListenAddress | undefined {
  if (listenHealth === undefined && isLoopback(host)) return undefined
  return readListen(listenHealth ?? defaultHealth, defaultHealth, '--listen-health')
}

/** One of the addresses that `serve` listens on. */
export interface Listener {
  readonly flag: string
  readonly address: ListenAddress
  readonly app: FastifyInstance
}

/** Listens on each address, and answers with those that are bound: port 0 picks a free one. */
export async function openListeners(listeners: readonly Listener[]): Promise<readonly ListenAddress[]> {
  const bound: ListenAddress[] = []
  for (const listener of listeners) bound.push({ ...listener.address, port: await listen(listener) })
  return bound
}

async function listen({ flag, address: { host, port }, app }: Listener): Promise<number> {
  try {
    await app.listen({ host, port })
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const why = code === 'EADDRINUSE' ? 'is in use' : `cannot be used: ${message}`
    throw new CommandError(exitCodes.environment, `${flag}: ${host}:${port} ${why}`, {
      hints: ['name another port, or an address of this machine'],
      cause,
    })
  }
  const [bound] = app.addresses()
  return typeof bound === 'object' ? bound.port : port
}
