import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Runtime } from '../call.ts'
import { bytesOf, pathOf, queryOf } from '../reception.ts'
import { answerControl, controlPrefix, endpoints } from './index.ts'

/** Adds `/_sandbox` and everything below it. */
export function addControlRoutes(server: FastifyInstance, runtime: Runtime): void {
  for (const endpoint of endpoints) {
    server.route({
      method: endpoint.method,
      url: controlPrefix + endpoint.path,
      handler: async (request, reply) => {
        if (endpoint.method === 'POST' && !isJson(request))
          return refuseControl(reply, 415, 'the content type must be application/json')
        const input = { bytes: bytesOf(request), query: queryOf(request) }
        const { status, body } = await answerControl(endpoint, input, runtime)
        return sendJson(reply, status, body)
      },
    })
  }
}

/** A page can send any other type to another address without being allowed to. */
function isJson({ headers }: FastifyRequest): boolean {
  return /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')
}

export function isControl(request: FastifyRequest): boolean {
  const path = pathOf(request)
  return path === controlPrefix || path.startsWith(`${controlPrefix}/`)
}

/** Says what was wrong with a control request; the envelope is the API's alone. */
export function refuseControl(reply: FastifyReply, status: number, problem: string): FastifyReply {
  return sendJson(reply, status, JSON.stringify({ problem }))
}

function sendJson(reply: FastifyReply, status: number, body: string): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send(body)
}
