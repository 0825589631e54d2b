import type { Payload } from '@temporalio/common'
import { type FastifyInstance, fastify } from 'fastify'
import { createCodec } from '../../../engine/temporal/codec/create-codec.ts'
import type { PayloadKey } from '../../../engine/temporal/codec/read-keys.ts'
import { unreadable, whyUnreadable } from '../../../engine/temporal/codec/unreadable.ts'
import { payloadJson, readPayloads } from './payload-json.ts'
import { createGuard, type GuardOptions } from './request-guard.ts'

/** What the HTTP side of the codec server is built from. */
export interface CodecAppOptions extends GuardOptions {
  readonly keys: readonly PayloadKey[]
  /** Told of each request that was served: counts, and nothing of what was in it. */
  readonly onServed: (served: CodecCounts) => void
}

/** What one request did. */
export interface CodecCounts {
  readonly did: 'encoded' | 'decoded'
  readonly payloads: number
  /** As many of them as could not be read. */
  readonly unreadable: number
}

/** The largest body that is read: more than the server sends in one message. */
const mostBodyBytes = 8 * 1024 * 1024
/** The largest answer. What is compressed may be a thousand times as long as the request. */
const mostAnswerBytes = 64 * 1024 * 1024
const tooMuch = 'the payloads of one request are too large together; ask for fewer of them'

/**
 * Answers the protocol of Temporal's codec servers: POST to a path that ends in `/encode` or `/decode`. What is refused
 * or goes wrong is answered with a fixed text, never with a part of a payload.
 */
export function createCodecApp({ keys, onServed, ...guardOptions }: CodecAppOptions): FastifyInstance {
  const codec = createCodec({ keys, onUnreadable: 'replace' })
  const refusalOf = createGuard(guardOptions)
  const app = fastify({
    bodyLimit: mostBodyBytes,
    requestTimeout: 15_000,
    forceCloseConnections: true,
    http: { headersTimeout: 5000 },
  })
  app.server.maxConnections = 64
  // A page can send plain text without a preflight request.
  app.removeContentTypeParser('text/plain')
  app.addHook('onRequest', async (request, reply) => {
    const refusal = refusalOf(request.headers, request.method === 'OPTIONS')
    const { origin } = request.headers
    if (refusal) return reply.code(refusal.status).send({ error: refusal.error })
    if (origin === undefined) return
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      vary: 'Origin',
    })
  })
  app.options('/*', (request, reply) => {
    reply.headers({
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization, content-type, x-namespace',
      'access-control-max-age': '600',
    })
    // A page of another network asks so whether it may reach this machine.
    if (request.headers['access-control-request-private-network'] === 'true')
      reply.header('access-control-allow-private-network', 'true')
    return reply.code(204).send()
  })
  app.post('/*', async (request, reply) => {
    const [, verb] = /^[^?]*\/(encode|decode)\/?(?:\?|$)/.exec(request.url) ?? []
    if (verb === undefined) return reply.callNotFound()
    const given = readPayloads(request.body)
    if (!given)
      return reply.code(400).send({ error: 'the body is not { payloads: [{ metadata, data }] } with base64' })
    const payloads =
      verb === 'encode' ? await codec.encode([...given]) : await decodeWithin(given, codec.decode)
    const did = verb === 'encode' ? 'encoded' : 'decoded'
    onServed({ did, payloads: given.length, unreadable: payloads.filter(isUnreadable).length })
    return { payloads: payloads.map(payloadJson) }
  })
  app.setNotFoundHandler((_, reply) =>
    reply.code(404).send({ error: 'nothing is served here but POST /encode and POST /decode' }),
  )
  app.setErrorHandler(({ statusCode = 500 }: { statusCode?: number }, _, reply) => {
    const status = statusCode in fixedTexts ? (statusCode as keyof typeof fixedTexts) : 500
    return reply.code(status).send({ error: fixedTexts[status] })
  })
  return app
}

const fixedTexts = {
  400: 'the body is not JSON',
  413: tooMuch,
  415: 'the content type must be application/json',
  500: 'the payloads cannot be worked on',
} as const

/** One after the other: what has been decoded counts before the next one is unfolded. */
async function decodeWithin(
  given: readonly Payload[],
  decode: (payloads: Payload[]) => Promise<Payload[]>,
): Promise<Payload[]> {
  const decoded: Payload[] = []
  let bytes = 0
  for (const payload of given) {
    const [one] = bytes > mostAnswerBytes ? [unreadable(tooMuch)] : await decode([payload])
    if (!one) continue
    bytes += one.data?.length ?? 0
    decoded.push(one)
  }
  return decoded
}

function isUnreadable({ data }: Payload): boolean {
  if (!data || data.length > 1000) return false
  try {
    return whyUnreadable(JSON.parse(Buffer.from(data).toString())) !== undefined
  } catch {
    return false
  }
}
