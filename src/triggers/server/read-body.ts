import type { FastifyInstance, FastifyRequest } from 'fastify'

/** The largest body that is read, in bytes. */
export const mostBodyBytes: number = 1024 * 1024

/**
 * Reads bodies that take at most `mostBytes` together, from their first byte until their answer is sent. Nothing is
 * known of a sender before its body is read, so this bounds the memory that an unknown sender can take.
 */
export function addBodyReader(app: FastifyInstance, mostBytes: number): void {
  const held = new WeakMap<FastifyRequest, number>()
  let heldBytes = 0
  const hold = (request: FastifyRequest, bytes: number): number => {
    const size = (held.get(request) ?? 0) + bytes
    held.set(request, size)
    heldBytes += bytes
    return size
  }
  app.addHook('preParsing', async (request, reply) => {
    reply.raw.once('close', () => hold(request, -(held.get(request) ?? 0)))
  })
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: AsyncIterable<Uint8Array>) => {
    if (Number(request.headers['content-length'] ?? 0) > mostBodyBytes) throw refusal(413)
    const chunks: Buffer[] = []
    try {
      for await (const chunk of payload) {
        if (hold(request, chunk.length) > mostBodyBytes) throw refusal(413)
        if (heldBytes > mostBytes) throw refusal(503)
        // Copied: a small chunk keeps the whole block alive that the socket was read into.
        chunks.push(Buffer.from(chunk))
      }
    } catch (error) {
      // Whatever else ends a body early is the doing of its sender.
      throw 'statusCode' in (error as object) ? error : refusal(400)
    }
    return Buffer.concat(chunks)
  })
}

function refusal(statusCode: number): Error {
  return Object.assign(new Error(`answered with ${statusCode}`), { statusCode })
}
