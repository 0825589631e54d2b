import type { Agents } from '../../../api/http/index.ts'

/** The request that a log-in belongs to. */
export interface LoginRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | undefined
  readonly timeoutMs: number
}

/** What logs a request in, and the values in it that nothing may repeat. */
export interface LoggedIn {
  readonly headers: Readonly<Record<string, string>>
  /** Added to the query of the request. */
  readonly query?: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
}

/** Logs requests in. */
export interface ServiceLogin {
  /** What is known before the first request. */
  readonly secrets: readonly string[]
  /** Rejects with an error that proves that the request was not sent. */
  logIn(request: LoginRequest): Promise<LoggedIn>
  /** The server answered 401 to this log-in. True: the next one can be another, so the request is worth a repeat. */
  renew(refused: LoggedIn): boolean
}

/** What a log-in needs of its connection. */
export interface LoginPlace {
  /** The name of the connection. */
  readonly name: string
  readonly agents: Agents
  /** Why a host is refused by the rules for addresses. */
  hostProblem(host: string): string | undefined
}
