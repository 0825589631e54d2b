/**
 * The parts of undici that connections are made of, without the rest of it (fetch, WebSocket, caches, …), which takes
 * three times as long to load and 8 MB more. Where its files lie is its own business: should they lie elsewhere, the
 * whole of it serves as well.
 */
import { createRequire } from 'node:module'
import type * as Undici from 'undici'

const require: NodeJS.Require = createRequire(import.meta.url)

export const Agent: typeof Undici.Agent = load('dispatcher/agent.js', 'Agent')
export const Pool: typeof Undici.Pool = load('dispatcher/pool.js', 'Pool')
export const buildConnector: typeof Undici.buildConnector = load('core/connect.js', 'buildConnector')

/** The whole of it: with a proxy, pools need what it adds to them. */
export function wholeUndici(): typeof Undici {
  return require('undici')
}

function load<Name extends keyof typeof Undici>(file: string, name: Name): (typeof Undici)[Name] {
  try {
    return require(`undici/lib/${file}`)
  } catch {
    return wholeUndici()[name]
  }
}
