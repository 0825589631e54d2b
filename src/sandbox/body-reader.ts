import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { routes } from './body-schemas.ts'
import type { Runtime } from './call.ts'
import { machineTime } from './clock.ts'
import { chooseLanguage, type Language } from './codes.ts'
import { type HttpAnswer, presentRefused } from './http-answer.ts'
import { findCaller } from './keys.ts'
import type { Refused } from './outcome.ts'
import type { RequestRecord } from './request-log.ts'

/** Gives every request its record, from its first byte on, and refuses what never reaches an operation. */
export interface Reception {
  recordOf(request: FastifyRequest): RequestRecord
  refuse(request: FastifyRequest, reply: FastifyReply, refused: Refused): FastifyReply
}

export function createReception(runtime: Runtime): Reception {
  const records = new WeakMap<FastifyRequest, RequestRecord>()
  const recordOf = (request: FastifyRequest): RequestRecord => {
    const known = records.get(request)
    if (known) return known
    const record = openRecord(request, runtime)
    records.set(request, record)
    return record
  }
  return {
    recordOf,
    refuse(request, reply, refused) {
      const record = recordOf(request)
      const answer = presentRefused(refused, {
        requestId: record.request_id,
        language: languageOf(request),
        isNewer: runtime.settings.shape === 'newer',
      })
      record.status = answer.status
      record.code = refused.code
      return sendAnswer(reply, answer)
    },
  }
}

const idByPath = new Map(routes.map(({ path, id }) => [path, id]))

function openRecord(request: FastifyRequest, runtime: Runtime): RequestRecord {
  const path = requestPathOf(request)
  const record: RequestRecord = {
    request_id: runtime.nextRequestId(),
    arrived_ms: machineTime(),
    clock_ms: runtime.clock.now(),
    method: request.method,
    path,
    operation: idByPath.get(path) ?? null,
    key: findCaller(requestQueryOf(request)['app_key'])?.key ?? null,
    status: null,
    code: null,
    executed: false,
    fault: null,
    unknown_fields: [],
  }
  runtime.requests.add(record)
  return record
}

export function requestPathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? ''
}

export function requestQueryOf(request: FastifyRequest): Readonly<Record<string, unknown>> {
  return (request.query ?? {}) as Readonly<Record<string, unknown>>
}

const noBytes = Buffer.alloc(0)

export function bytesOf(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : noBytes
}

export function languageOf(request: FastifyRequest): Language {
  return chooseLanguage(request.headers['accept-language'])
}

export function sendAnswer(reply: FastifyReply, { status, headers, body }: HttpAnswer): FastifyReply {
  const payload = typeof body === 'string' ? body : Readable.from(body, { objectMode: false })
  return reply.code(status).headers(headers).send(payload)
}
