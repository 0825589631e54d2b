import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'

/** A request that failed here, for the log. */
export interface RequestFailure {
  /** The sender has it, too. */
  readonly id: string
  readonly hook?: string
  /** May hold secrets. */
  readonly error: unknown
}

export const failedHere = 'the request failed here'

/** Receives why a request failed here. What it throws has no effect on the answer. */
export type OnFailure = (failure: RequestFailure) => void

/** Answers with a fixed text and an id. The log has the cause under the same id. */
export function answerFailure(
  reply: FastifyReply,
  {
    status,
    reason,
    ...failure
  }: Omit<RequestFailure, 'id'> & { readonly status: number; readonly reason: string },
  onFailure: OnFailure | undefined,
): FastifyReply {
  const id = randomBytes(6).toString('hex')
  ignoringErrors(() => onFailure?.({ id, ...failure }))
  return reply.code(status).send({ error: reason, id })
}

/** A log that fails must not decide on an answer. */
export function ignoringErrors(work: () => void): void {
  try {
    work()
  } catch {
    // The answer is the same whether or not it can be logged.
  }
}
