import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Payload } from '@temporalio/common'
import { type FastifyInstance, fastify } from 'fastify'
import {
  createCodec,
  type PayloadKey,
  unreadable,
  whyUnreadable,
} from '../../../engine/temporal/codec/index.ts'
import { isLoopback } from '../../shared/read-listen.ts'

/** What the HTTP side of the codec server is built from. */
export interface CodecAppOptions extends GuardOptions {
  readonly keys: readonly PayloadKey[]
  /** Called for each request with counts, never with contents. */
  readonly onServed: (served: CodecCounts) => void
}

/** The counts of one request. */
export interface CodecCounts {
  readonly did: 'encoded' | 'decoded'
  readonly payloads: number
  /** As many of them as could not be read. */
  readonly unreadable: number
}

/** The largest body that is read: more than the server sends in one message. */
const mostBodyBytes = 8 * 1024 * 1024
/** The largest answer. Compressed payloads can expand a thousandfold. */
const mostAnswerBytes = 64 * 1024 * 1024
const tooMuch = 'the payloads of one request are too large together; ask for fewer of them'

/**
 * Answers the protocol of Temporal's codec servers: POST to a path that ends in `/encode` or `/decode`. What is refused
 * or goes wrong is answered with a fixed text, never with a part of a payload.
 */
export function createCodecApp({ keys, onServed, ...guardOptions }: CodecAppOptions): FastifyInstance {
  const codec = createCodec({ keys, onUnreadable: 'replace', acceptsPlain: true })
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
    // Browsers ask this way whether a page of another network may reach this machine.
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
  500: 'the payloads cannot be processed',
} as const

/** Decodes payloads in order, and stops when the decoded bytes exceed the limit. */
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

/** A payload as the JSON form of protobuf has it: bytes are base64. */
export interface PayloadJson {
  readonly metadata: Readonly<Record<string, string>>
  readonly data: string
}

/** The payloads of a request body. Undefined: the body is not of that form. */
function readPayloads(body: unknown): readonly Payload[] | undefined {
  if (!isObject(body) || !Array.isArray(body['payloads'])) return undefined
  const payloads = body['payloads'].map(readPayload)
  return payloads.every((payload) => payload !== undefined) ? payloads : undefined
}

function payloadJson({ metadata, data }: Payload): PayloadJson {
  const entries = Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)] as const)
  return { metadata: Object.fromEntries(entries), data: base64(data ?? new Uint8Array()) }
}

function readPayload(given: unknown): Payload | undefined {
  if (!isObject(given)) return undefined
  // Null stands for a field that is left out.
  const metadata = given['metadata'] ?? {}
  const data = readBytes(given['data'] ?? '')
  if (!isObject(metadata) || !data) return undefined
  const read = new Map<string, Uint8Array>()
  for (const [name, value] of Object.entries(metadata)) {
    const bytes = readBytes(value)
    if (!bytes) return undefined
    read.set(name, bytes)
  }
  return { metadata: Object.fromEntries(read), data }
}

/** Both alphabets of base64, with padding or without. */
function readBytes(value: unknown): Uint8Array | undefined {
  return typeof value === 'string' && /^[A-Za-z0-9+/_-]*={0,2}$/.test(value)
    ? Buffer.from(value, 'base64')
    : undefined
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Who may use the codec server. */
export interface GuardOptions {
  /** Origins of web pages that may read answers, such as `http://localhost:8233`. */
  readonly origins: readonly string[]
  /** Asked of every request as `Authorization: Bearer`. Without it the codec server listens on this machine only. */
  readonly token: string | undefined
}

/** A request that is refused: the status and the fixed text that it is answered with. */
export interface Refusal {
  readonly status: 401 | 403
  readonly error: string
}

/**
 * Judges a request by its headers, before a byte of its body is read. Without a token the `Host` header must name this
 * machine: otherwise a page whose name resolves to 127.0.0.1 could read payloads.
 */
function createGuard({ origins, token }: GuardOptions) {
  const expected = token === undefined ? undefined : digest(`Bearer ${token}`)
  return (headers: IncomingHttpHeaders, isPreflight: boolean): Refusal | undefined => {
    const { host = '', origin, authorization = '' } = headers
    if (origin !== undefined && !origins.includes(origin))
      return { status: 403, error: 'this origin is not allowed; --origin names those that are' }
    if (expected === undefined)
      return isLoopback(hostName(host))
        ? undefined
        : { status: 403, error: 'the Host header does not name this machine' }
    // Browsers send no credentials with a preflight request.
    if (isPreflight || timingSafeEqual(digest(authorization), expected)) return undefined
    return { status: 401, error: 'the token is missing or wrong' }
  }
}

function hostName(host: string): string {
  return host
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase()
}

/** A digest of fixed length, so that a comparison does not reveal the length of the token. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
