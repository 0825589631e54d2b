import type { Runtime } from '../call.ts'
import type { Json, JsonObject } from '../json.ts'

/** One of the endpoints below `/_sandbox`: no part of the service, and never asking for a key. */
export interface Endpoint {
  readonly method: 'GET' | 'POST'
  /** Behind `/_sandbox`, without a slash at its end; empty for the list of all. */
  readonly path: string
  /** One line for people. */
  readonly summary: string
  /** The schema of the body; without one the body is ignored. */
  readonly body?: JsonObject
  run(input: EndpointInput, runtime: Runtime): ControlAnswer | Promise<ControlAnswer>
}

export interface EndpointInput {
  /** Has passed the schema; `{}` when nothing was sent. */
  readonly body: Json
  readonly query: Readonly<Record<string, unknown>>
}

/** A value, a document that is JSON already, or what the caller did wrong. */
export type ControlAnswer =
  | { readonly value: Json }
  | { readonly text: string }
  | { readonly problem: string }
