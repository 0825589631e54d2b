import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { answerCall } from './answer-call.ts'
import { routes } from './body-schemas.ts'
import type { Runtime } from './call.ts'
import { machineTime } from './clock.ts'
import type { Code } from './codes.ts'
import { answerControl, controlPrefix, controlProblem, endpoints } from './control/index.ts'
import { type HttpAnswer, type Presentation, presentRefused } from './http-answer.ts'
import { findCaller } from './keys.ts'
import { type Refused, refuse } from './outcome.ts'
import type { RequestRecord } from './request-log.ts'
import { chooseLanguage, type Language } from './text.ts'

/** The largest body that is read. */
const bodyLimit = 1_048_576

const noBytes = Buffer.alloc(0)

/** Builds the HTTP side: every request is recorded, and every answer of the API carries a request id. */
export function createServer(runtime: Runtime): FastifyInstance {
  const records = new WeakMap<FastifyRequest, RequestRecord>()
  const recordOf = (request: FastifyRequest): RequestRecord => {
    const known = records.get(request)
    if (known) return known
    const record = openRecord(request, runtime)
    records.set(request, record)
    return record
  }
  const refuseRequest = (request: FastifyRequest, reply: FastifyReply, refused: Refused): FastifyReply => {
    const record = recordOf(request)
    const answer = presentRefused(refused, presentationOf(record, request, runtime))
    Object.assign(record, { status: answer.status, code: refused.code })
    return send(reply, answer)
  }

  const server = fastify({
    bodyLimit,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    clientErrorHandler: (_error, socket) => refuseSocket(socket, runtime),
    frameworkErrors: (_error, request, reply) => {
      refuseRequest(request as FastifyRequest, reply as FastifyReply, refuse('BadRequest'))
    },
  })
  server.removeAllContentTypeParsers()
  // Bodies stay bytes: what may be in them is for the checks to say, one after another.
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  server.addHook('onRequest', (request, _reply, done) => {
    if (!isControl(request)) recordOf(request)
    done()
  })

  for (const route of routes) {
    server.post(route.path, async (request, reply) => {
      const record = recordOf(request)
      record.operation = route.id
      const bytes = bytesOf(request)
      runtime.requests.keepBody(record, bytes)
      const answer = await answerCall(
        {
          route,
          record,
          bytes,
          query: request.query as Readonly<Record<string, unknown>>,
          contentType: request.headers['content-type'],
          contentEncoding: request.headers['content-encoding'],
          language: languageOf(request),
        },
        runtime,
      )
      return answer === 'close' ? hangUp(request, reply) : send(reply, answer)
    })
  }
  for (const endpoint of endpoints) {
    server.route({
      method: endpoint.method,
      url: controlPrefix + endpoint.path,
      handler: async (request, reply) => {
        const query = request.query as Readonly<Record<string, unknown>>
        const { status, body } = await answerControl(endpoint, { bytes: bytesOf(request), query }, runtime)
        return reply.code(status).type('application/json; charset=utf-8').send(body)
      },
    })
  }

  server.setNotFoundHandler((request, reply) => {
    if (isControl(request)) {
      const { status, body } = controlProblem(404, `there is no ${request.method} ${pathOf(request)}`)
      return reply.code(status).type('application/json; charset=utf-8').send(body)
    }
    const route = routes.find(({ path }) => path === pathOf(request))
    recordOf(request).operation = route?.id ?? null
    return refuseRequest(
      request,
      reply,
      route ? refuse('MethodNotAllowed', undefined, { allow: 'POST' }) : refuse('RouteNotFound'),
    )
  })
  server.setErrorHandler((error, request, reply) => {
    if (reply.sent) return
    const code = codeOf(error)
    if (isControl(request)) {
      const { status, body } = controlProblem(code === 'InternalError' ? 500 : 400, String(error))
      return reply.code(status).type('application/json; charset=utf-8').send(body)
    }
    const route = routes.find(({ path }) => path === pathOf(request))
    recordOf(request).operation = route?.id ?? null
    return refuseRequest(request, reply, refuse(code))
  })
  return server
}

function openRecord(request: FastifyRequest, runtime: Runtime): RequestRecord {
  const { app_key: key } = (request.query ?? {}) as Readonly<Record<string, unknown>>
  const record: RequestRecord = {
    request_id: runtime.nextRequestId(),
    arrived_ms: machineTime(),
    clock_ms: runtime.clock.now(),
    method: request.method,
    path: pathOf(request),
    operation: null,
    key: findCaller(key)?.key ?? null,
    status: null,
    code: null,
    executed: false,
    fault: null,
    unknown_fields: [],
  }
  runtime.requests.add(record)
  return record
}

function presentationOf(record: RequestRecord, request: FastifyRequest, { settings }: Runtime): Presentation {
  return {
    requestId: record.request_id,
    language: languageOf(request),
    isNewer: settings.shape === 'newer',
  }
}

function languageOf(request: FastifyRequest): Language {
  return chooseLanguage(request.headers['accept-language'])
}

function isControl(request: FastifyRequest): boolean {
  const path = pathOf(request)
  return path === controlPrefix || path.startsWith(`${controlPrefix}/`)
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? ''
}

function bytesOf(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : noBytes
}

function send(reply: FastifyReply, { status, headers, body }: HttpAnswer): FastifyReply {
  const payload = typeof body === 'string' ? body : Readable.from(body, { objectMode: false })
  return reply.code(status).headers(headers).send(payload)
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
  return code.startsWith('FST_ERR_CTP_') ? 'BadRequest' : 'InternalError'
}

/** What is not even HTTP is answered too, as far as the connection still takes an answer. */
function refuseSocket(socket: Socket, runtime: Runtime): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const presentation = { requestId: runtime.nextRequestId(), language: 'en', isNewer: false } as const
  const { status, headers, body } = presentRefused(refuse('BadRequest'), presentation)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const length = `content-length: ${Buffer.byteLength(String(body))}`
  socket.end([`HTTP/1.1 ${status} Bad Request`, ...lines, length, 'connection: close', '', body].join('\r\n'))
}
