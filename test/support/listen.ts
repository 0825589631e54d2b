import { once } from 'node:events'
import type { Server as HttpServer, RequestListener } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { onTestFinished } from 'vitest'

/** Lets a server listen on a free port of this machine until the test ends. Answers with its address. */
export async function listen(server: Server, scheme = 'http'): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    if ('closeAllConnections' in server) (server as HttpServer).closeAllConnections()
    server.close()
  })
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A server over HTTP for one test. Answers with its address. */
export function serving(answer: RequestListener): Promise<string> {
  return listen(createServer(answer))
}
