// A codec server: decodes payloads for Temporal's web UI and command line tool. docs/workers.md says who may use it.
import { createHash, timingSafeEqual } from 'node:crypto'
import { fastify } from 'fastify'
import { createCodec, readPayloadKeys } from 'opsbook/temporal'

const { OPSBOOK_CODEC_HOST: host = '127.0.0.1', OPSBOOK_CODEC_PORT: port = '8089', ...env } = process.env
const pages = env.OPSBOOK_CODEC_ORIGINS ?? 'http://localhost:8233,http://127.0.0.1:8233'
const token = env.OPSBOOK_CODEC_TOKEN
const megabyte = 1024 * 1024
const isLoopback = (name) => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/i.test(name)
const digest = (text) => createHash('sha256').update(text).digest()
const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object ?? {}).map(([name, value]) => [name, change(value)]))
const bytesOf = (text) => Buffer.from(text, 'base64')
const textOf = (bytes) => Buffer.from(bytes ?? '').toString('base64')

if (token ? token.length < 16 : !isLoopback(host)) {
  console.error('set OPSBOOK_CODEC_TOKEN to at least 16 characters: "openssl rand -hex 32" makes them')
  process.exit(2)
}
const origins = new Set(pages.split(',').map((page) => new URL(page.trim()).origin))
const keys = readPayloadKeys(env.OPSBOOK_TEMPORAL_KEYS)
const codec = createCodec({ keys, onUnreadable: 'replace', acceptsPlain: true })
const app = fastify({ bodyLimit: 8 * megabyte, requestTimeout: 15_000 })
// A page can send plain text without a preflight request.
app.removeContentTypeParser('text/plain')
app.addHook('onRequest', async ({ method, headers }, reply) => {
  const { origin, host: named = '', authorization = '' } = headers
  if (origin !== undefined && !origins.has(origin))
    return reply.code(403).send({ error: 'this origin is not in OPSBOOK_CODEC_ORIGINS' })
  // Without a token, a page whose name resolves to this machine could read payloads.
  if (!token && !isLoopback(named.replace(/:\d+$/, '')))
    return reply.code(403).send({ error: 'the Host header does not name this machine' })
  // Browsers send no credentials with a preflight request.
  if (token && method !== 'OPTIONS' && !timingSafeEqual(digest(authorization), digest(`Bearer ${token}`)))
    return reply.code(401).send({ error: 'the token is missing or wrong' })
  if (origin === undefined) return
  reply.headers({ 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' })
  reply.header('vary', 'Origin')
})
app.options('/*', (_, reply) => {
  reply.header('access-control-allow-headers', 'authorization, content-type, x-namespace')
  return reply.header('access-control-allow-private-network', 'true').code(204).send()
})
app.post('/*', async ({ url, body }, reply) => {
  const [, verb] = /^[^?]*\/(encode|decode)\/?(?:\?|$)/.exec(url) ?? []
  if (verb === undefined) return reply.callNotFound()
  const given = body.payloads.map((one) => ({
    metadata: mapValues(one.metadata, bytesOf),
    data: bytesOf(one.data ?? ''),
  }))
  const payloads = []
  let bytes = 0
  for (const payload of given) {
    const [{ metadata, data }] = await codec[verb]([payload])
    bytes += data.length
    // A compressed payload can expand a thousandfold.
    if (bytes > 64 * megabyte) return reply.code(413).send({ error: 'too large: ask for fewer payloads' })
    payloads.push({ metadata: mapValues(metadata, textOf), data: textOf(data) })
  }
  return { payloads }
})
// A fixed text: an error of the parser quotes the body.
app.setErrorHandler(({ statusCode = 400 }, _, reply) =>
  reply.code(statusCode).send({ error: 'send { payloads: [{ metadata, data }] } as JSON of at most 8 MiB' }),
)
console.log(await app.listen({ host, port: Number(port) }))
