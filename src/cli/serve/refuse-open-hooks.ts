import type { Hook } from '../../triggers/hooks/hook.ts'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'
import { isLoopback, type ListenAddress } from '../read-listen.ts'

/** Whoever reaches a hook without auth starts runs: nobody but this machine may. */
export function refuseOpenHooks(hooks: readonly Hook[], { host, port }: ListenAddress): void {
  const open = hooks.filter(({ auth }) => auth === undefined).map(({ name }) => name)
  if (open.length === 0 || isLoopback(host)) return
  const which = open.length === 1 ? `the hook "${open[0]}" has` : `the hooks ${open.join(', ')} have`
  throw new CommandError(
    exitCodes.usage,
    `${which} no auth, and ${host}:${port} can be reached from elsewhere`,
    {
      hints: [
        'give each hook "auth" in opsbook.yaml',
        'or listen on this machine only: --listen 127.0.0.1:8687',
      ],
    },
  )
}
