import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** The wanted port, or any, when nobody listens on it at this moment. Rejects with `EADDRINUSE` when somebody does. */
export async function findFreePort(wanted = 0): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
