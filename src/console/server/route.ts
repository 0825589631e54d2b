import type { FastifyReply, FastifyRequest } from 'fastify'
import type { JsonSchema, JsonValue } from '../../core/json.ts'
import type { Role } from '../store/index.ts'

export type { Role } from '../store/index.ts'

/** Who may use a route: a person with this role, or anyone who reaches the listener. */
export type Access = Role | 'anyone'

/** One address of the console. The guard, the description of the API and the tests read the same table. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Parameters as Fastify writes them: `/api/v1/runs/:id`. */
  readonly path: string
  readonly access: Access
  /** What the audit calls a request. Left out: the last word of the path. */
  readonly act?: string
  /** What it does, for the description of the API. Left out: it is no part of the API. */
  readonly about?: string
  /** The parameters after `?`. */
  readonly query?: Readonly<Record<string, JsonSchema>>
  /** The JSON document that it takes. */
  readonly body?: JsonSchema
  /** The JSON document that it answers with; or the media type of what it answers with. */
  readonly answer?: JsonSchema | string
  /** Its result is sent as JSON; undefined: it has answered itself. */
  handle(request: FastifyRequest, reply: FastifyReply): Promise<JsonValue | object | undefined>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Left out: the guard wants a session. */
    access?: Access
    act?: string
  }
}
