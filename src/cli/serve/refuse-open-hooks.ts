import { CommandError, usualAddresses } from '../../project/index.ts'
import type { Hook } from '../../triggers/webhooks/index.ts'
import { isLoopback, type ListenAddress } from '../shared/read-listen.ts'

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
