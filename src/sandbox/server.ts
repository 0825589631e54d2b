import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { answerReceived } from './answer-call.ts'
import {
  bytesOf,
  createReception,
  languageOf,
  type Reception,
  requestPathOf,
  requestQueryOf,
  sendAnswer,
} from './body-reader.ts'
import { type BodyRoute, routes } from './body-schemas.ts'
import type { Runtime } from './call.ts'
import type { Code } from './codes.ts'
import { addControlRoutes, isControl, refuseControl } from './control/routes.ts'
import { presentRefused } from './http-answer.ts'
import { refuseCall } from './outcome.ts'

/** The largest body that is read. */
const bodyLimit = 1_048_576

/**
 * Builds the HTTP side: every request is recorded, and every answer of the API carries a request id. `names` are the host
 * names that requests may name, besides IP addresses and `localhost`.
 */
export function createServer(runtime: Runtime, names: readonly string[] = []): FastifyInstance {
  const reception = createReception(runtime)
  const server = fastify({
    bodyLimit,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    clientErrorHandler: (_error, socket) => refuseSocket(socket, runtime),
    frameworkErrors: (_error, request, reply) => {
      reception.refuse(request as FastifyRequest, reply as FastifyReply, refuseCall('BadRequest'))
    },
  })
  server.removeAllContentTypeParsers()
  // Bodies stay bytes: what may be in them is for the checks to say, one after another.
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  server.addHook('onRequest', async (request, reply) => {
    const page = webPageProblem(request.raw, names)
    if (page) return refuseControl(reply, page.status, page.problem)
    if (!isControl(request)) reception.recordOf(request)
    return undefined
  })
  for (const route of routes) addApiRoute(server, route, reception, runtime)
  addControlRoutes(server, runtime)
  addRefusals(server, reception)
  return server
}

function addApiRoute(
  server: FastifyInstance,
  route: BodyRoute,
  { recordOf }: Reception,
  runtime: Runtime,
): void {
  server.post(route.path, async (request, reply) => {
    const record = recordOf(request)
    const bytes = bytesOf(request)
    runtime.requests.keepBody(record, bytes)
    const received = {
      route,
      record,
      bytes,
      query: requestQueryOf(request),
      contentType: request.headers['content-type'],
      contentEncoding: request.headers['content-encoding'],
      language: languageOf(request),
    }
    const answer = await answerReceived(received, runtime)
    return answer === 'close' ? hangUp(request, reply) : sendAnswer(reply, answer)
  })
}

function addRefusals(server: FastifyInstance, reception: Reception): void {
  const paths = new Set(routes.map(({ path }) => path))
  server.setNotFoundHandler((request, reply) => {
    const path = requestPathOf(request)
    if (isControl(request)) return refuseControl(reply, 404, `there is no ${request.method} ${path}`)
    const refused = paths.has(path)
      ? refuseCall('MethodNotAllowed', undefined, { allow: 'POST' })
      : refuseCall('RouteNotFound')
    return reception.refuse(request, reply, refused)
  })
  server.setErrorHandler((error, request, reply) => {
    const code = codeOf(error)
    if (isControl(request)) return refuseControl(reply, code === 'InternalError' ? 500 : 400, String(error))
    // The key comes first, also where Fastify itself stumbles over the header.
    const isUnknown = code === 'InvalidContentType' && reception.recordOf(request).key === null
    return reception.refuse(request, reply, refuseCall(isUnknown ? 'Unauthorized' : code))
  })
}

/** The answer that is lost: the connection just ends. */
function hangUp(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack()
  request.raw.socket.destroy()
  return reply
}

function codeOf(error: unknown): Code {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return 'EntityTooLarge'
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return 'InvalidContentType'
  return code.startsWith('FST_ERR_CTP_') ? 'BadRequest' : 'InternalError'
}

/** What is not even HTTP is answered too, as far as the connection still takes an answer. */
function refuseSocket(socket: Socket, runtime: Runtime): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const presentation = { requestId: runtime.nextRequestId(), language: 'en', isNewer: false } as const
  const { status, headers, body } = presentRefused(refuseCall('BadRequest'), presentation)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const length = `content-length: ${Buffer.byteLength(String(body))}`
  socket.end([`HTTP/1.1 ${status} Bad Request`, ...lines, length, 'connection: close', '', body].join('\r\n'))
}

/**
 * Why a request is refused that a web page may have sent through the browser of a person who runs a sandbox: a page whose
 * own name resolves to this machine sends that name as `Host`, any other page its `Origin`.
 */
function webPageProblem(
  { headers: { host, origin }, headersDistinct }: IncomingMessage,
  names: readonly string[],
): { readonly status: 400 | 403 | 421; readonly problem: string } | undefined {
  if ((headersDistinct.host?.length ?? 0) > 1)
    return { status: 400, problem: 'the request names more than one host' }
  if (host !== undefined && !isOwnName(host, names))
    return {
      status: 421,
      problem: 'the host name of the request is not one of this sandbox: see --allow-host',
    }
  const isForeign = origin !== undefined && origin !== `http://${host}`
  return isForeign ? { status: 403, problem: 'requests of web pages are refused' } : undefined
}

function isOwnName(host: string, names: readonly string[]): boolean {
  const bare = /^\[([^\]]*)\](?::\d*)?$/.exec(host)?.[1] ?? host.replace(/:\d*$/, '')
  const name = bare.toLowerCase().replace(/\.$/, '')
  return name === 'localhost' || isIP(name) !== 0 || names.some((own) => own.toLowerCase() === name)
}
