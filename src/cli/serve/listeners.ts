import type { FastifyInstance } from 'fastify'
import { CommandError, usualAddresses } from '../../project/index.ts'
import type { Hook } from '../../triggers/webhooks/index.ts'
import { cannotListen, isLoopback, type ListenAddress, readListen } from '../shared/read-listen.ts'
import type { ServeFlags } from './serve-engine.ts'

/**
 * The separate address of health and metrics: that of the flag, or a local one if other machines can reach the hooks, since
 * metrics are for the operator only. Undefined: the address of the hooks.
 */
export function readHealthAddress(
  { listenHealth }: Pick<ServeFlags, 'listenHealth'>,
  { host }: ListenAddress,
): ListenAddress | undefined {
  if (listenHealth === undefined && isLoopback(host)) return undefined
  return readListen(listenHealth ?? usualAddresses.health, usualAddresses.health, '--listen-health')
}

/** One of the addresses that `serve` listens on. */
export interface Listener {
  readonly flag: string
  readonly address: ListenAddress
  readonly app: FastifyInstance
}

/** Listens on each address, and returns the bound addresses: port 0 picks a free port. */
export async function openListeners(listeners: readonly Listener[]): Promise<readonly ListenAddress[]> {
  const bound: ListenAddress[] = []
  for (const listener of listeners) bound.push({ ...listener.address, port: await listen(listener) })
  return bound
}

async function listen({ flag, address: { host, port }, app }: Listener): Promise<number> {
  try {
    await app.listen({ host, port })
  } catch (cause) {
    throw cannotListen(flag, { host, port }, cause as NodeJS.ErrnoException)
  }
  const [bound] = app.addresses()
  return typeof bound === 'object' ? bound.port : port
}

/** Refuses hooks without auth on an address that other machines can reach: any client could start runs. */
export function refuseOpenHooks(hooks: readonly Hook[], { host, port }: ListenAddress): void {
  const open = hooks.filter(({ auth }) => auth === undefined).map(({ name }) => name)
  if (open.length === 0 || isLoopback(host)) return
  const which = open.length === 1 ? `the hook "${open[0]}" has` : `the hooks ${open.join(', ')} have`
  throw new CommandError(
    'usage',
    `${which} no auth, and ${host}:${port} can be reached from other machines`,
    {
      hints: [
        'give each hook "auth" in opsbook.yaml',
        `or listen on this machine only: --listen ${usualAddresses.serve}`,
      ],
    },
  )
}
