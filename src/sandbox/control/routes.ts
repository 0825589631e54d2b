import { Ajv } from 'ajv'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { bytesOf, requestPathOf, requestQueryOf } from '../body-reader.ts'
import type { Runtime } from '../call.ts'
import type { Json, JsonObject } from '../json.ts'
import { sandboxKeys } from '../keys.ts'
import type { Endpoint, EndpointInput } from './endpoint.ts'
import { incidentEndpoints } from './incidents.ts'
import { inspectEndpoints } from './inspect.ts'
import { steerEndpoints } from './steer.ts'

/** Adds `/_sandbox` and everything below it. */
export function addControlRoutes(server: FastifyInstance, runtime: Runtime): void {
  for (const endpoint of endpoints) {
    server.route({
      method: endpoint.method,
      url: controlPrefix + endpoint.path,
      handler: async (request, reply) => {
        if (endpoint.method === 'POST' && !isJson(request))
          return refuseControl(reply, 415, 'the content type must be application/json')
        const input = { bytes: bytesOf(request), query: requestQueryOf(request) }
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
  const path = requestPathOf(request)
  return path === controlPrefix || path.startsWith(`${controlPrefix}/`)
}

/** Says what was wrong with a control request; the envelope is the API's alone. */
export function refuseControl(reply: FastifyReply, status: number, problem: string): FastifyReply {
  return sendJson(reply, status, JSON.stringify({ problem }))
}

function sendJson(reply: FastifyReply, status: number, body: string): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send(body)
}

const controlPrefix = '/_sandbox'

const overview: Endpoint = {
  method: 'GET',
  path: '',
  summary: 'this list',
  run: () => ({
    value: {
      endpoints: endpoints.map(
        ({ method, path, summary }) => `${method} ${controlPrefix}${path}: ${summary}`,
      ),
      keys: sandboxKeys.map(({ key, description }) => `${key}: ${description}`),
    },
  }),
}

const endpoints: readonly Endpoint[] = [
  overview,
  ...inspectEndpoints,
  ...steerEndpoints,
  ...incidentEndpoints,
]

const ajv = new Ajv({ allowUnionTypes: true, strictTypes: false })

/** Answers a control request: its status and its JSON. */
async function answerControl(
  endpoint: Endpoint,
  request: { readonly bytes: Buffer; readonly query: EndpointInput['query'] },
  runtime: Runtime,
): Promise<{ readonly status: number; readonly body: string }> {
  const body = parseBody(request.bytes)
  if (body === undefined) return problem('the body is not JSON')
  const invalid = endpoint.body && findProblem(endpoint.body, body)
  if (invalid) return problem(invalid)
  const answer = await endpoint.run({ body, query: request.query }, runtime)
  if ('problem' in answer) return problem(answer.problem)
  return { status: 200, body: 'text' in answer ? answer.text : JSON.stringify(answer.value) }
}

function problem(text: string): { readonly status: number; readonly body: string } {
  return { status: 400, body: JSON.stringify({ problem: text }) }
}

function findProblem(schema: JsonObject, body: Json): string | undefined {
  const validate = ajv.compile(schema)
  if (validate(body)) return undefined
  const [error] = validate.errors ?? []
  const { additionalProperty: name, allowedValues: values } = error?.params ?? {}
  const more: unknown = Array.isArray(values) ? values.join(', ') : name
  return `body${error?.instancePath ?? ''} ${error?.message}${typeof more === 'string' ? `: ${more}` : ''}`
}

function parseBody(bytes: Buffer): Json | undefined {
  if (bytes.length === 0) return {}
  try {
    return JSON.parse(bytes.toString('utf8')) as Json
  } catch {
    return undefined
  }
}
