import { once } from 'node:events'
import { createServer, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'

/** A gRPC server that answers every method. It accepts a connection as a Temporal server does. */
export interface GrpcAnswers {
  readonly address: string
  /** The methods that were called, without those of connecting. */
  readonly called: readonly string[]
  close(): void
}

const connecting = ['GetSystemInfo', 'DescribeNamespace']

/** Answers each request with this gRPC code, and those of connecting with an empty message. */
export async function answerGrpc(code: number, reason: string): Promise<GrpcAnswers> {
  const called: string[] = []
  const sessions = new Set<ServerHttp2Session>()
  const server = createServer()
  server.on('session', (session) => sessions.add(session))
  server.on('stream', (stream, headers) => {
    const method = String(headers[':path']).split('/').at(-1) ?? ''
    const common = { ':status': 200, 'content-type': 'application/grpc' }
    stream.resume()
    stream.on('error', () => {})
    if (!connecting.includes(method)) {
      called.push(method)
      stream.respond({ ...common, 'grpc-status': code, 'grpc-message': reason }, { endStream: true })
      return
    }
    stream.respond(common, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': 0 }))
    // A frame that is not compressed, of no bytes.
    stream.end(Buffer.alloc(5))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    called,
    close() {
      for (const session of sessions) session.destroy()
      server.close()
    },
  }
}
