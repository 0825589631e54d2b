import type { Counted } from '../../core/forecast/walk-context.ts'
import type { Configuration } from '../configuration/index.ts'
import { sandboxName } from '../sandbox-name.ts'

/**
 * Which connections share the limits of one account, as far as the configuration says so. A plan needs no
 * connection: without a configuration each name is an account of its own. A sandbox stands for all of them.
 */
export function readAccounts(
  { document }: Configuration,
  isSandbox: boolean,
): (connection: string | undefined) => Counted {
  if (isSandbox) return () => ({ account: sandboxName, key: sandboxName })
  const { connections = {} } = document
  const names = Object.keys(connections)
  const otherwise = names.length === 1 ? (names[0] ?? 'default') : 'default'
  return (connection = otherwise) => {
    const found = Object.hasOwn(connections, connection) ? connections[connection] : undefined
    const key = found?.['app-key'] ?? connection
    return { account: found?.account ?? key, key }
  }
}
