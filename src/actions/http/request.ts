import type { JsonObject, JsonValue } from '../../core/json.ts'

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

type QueryValue = string | number | boolean

/** The arguments of `core/http`, each secret with its value. */
export interface HttpRequest {
  readonly method?: HttpMethod
  readonly url: string
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[]>>
  readonly headers?: Readonly<Record<string, string | number>>
  readonly 'secret-headers'?: Readonly<Record<string, SecretHeader>>
  readonly body?: JsonValue
  readonly ok?: readonly number[]
}

export interface SecretHeader {
  readonly secret: string
  readonly prefix?: string
}

/** Arguments that have passed the schema. */
export function asRequest(input: JsonObject): HttpRequest {
  return input as unknown as HttpRequest
}
