import { createAddressRules, type HttpRules, isNetwork } from '../../actions/index.ts'
import { CommandError } from '../command-error.ts'
import type { Configuration } from '../configuration/read-configuration.ts'

/** Reads where `core/http` may send requests from `opsbook.yaml`. Refuses an invalid network. */
export function readHttpRules({ document: { http = {} } }: Configuration): HttpRules {
  const { allow, 'deny-private': denyPrivate = false } = http
  const wrong = allow?.find((entry) => entry.includes('/') && !isUsable(entry))
  if (wrong !== undefined)
    throw new CommandError('usage', `opsbook.yaml: ${wrong} under http.allow is not a network`, {
      hints: ['write a network as 10.1.0.0/16 or fd00::/8'],
    })
  return { denyPrivate, ...(allow === undefined ? {} : { allow }) }
}

function isUsable(network: string): boolean {
  try {
    createAddressRules({ allow: [network] })
    return isNetwork(network)
  } catch {
    return false
  }
}
