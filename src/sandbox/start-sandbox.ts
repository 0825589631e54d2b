import { setMaxListeners } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createRuntime } from './create-runtime.ts'
import type { Sandbox, SandboxOptions } from './options.ts'
import { createServer } from './server.ts'

/**
 * Starts the service on this machine; ready for calls when the promise resolves. Rejects when the port is taken,
 * the state file is not one, or the webhook secret is not base64.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const closing = new AbortController()
  // Every call that waits listens to it: many are no leak.
  setMaxListeners(0, closing.signal)
  const runtime = createRuntime(options, closing.signal)
  await runtime.save()
  const { host = '127.0.0.1', allowHosts = [] } = options
  const server = createServer(runtime, [host, ...allowHosts])
  await server.listen({ port: options.port ?? 0, host })
  let closed: Promise<void> | undefined
  const close = async (): Promise<void> => {
    // Connections go first: whoever is waiting for an answer must not get one that came too early.
    server.server.closeAllConnections()
    closing.abort()
    await server.close()
    await runtime.save()
  }
  return {
    url: urlOf(server.server.address() as AddressInfo),
    close() {
      closed ??= close()
      return closed
    },
  }
}

/** An address that clients can connect to: "any address" is none. */
function urlOf({ address, family, port }: AddressInfo): string {
  const name = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address
  return `http://${family === 'IPv6' ? `[${name}]` : name}:${port}`
}
