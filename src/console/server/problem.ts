import { STATUS_CODES } from 'node:http'
import type { FastifyReply } from 'fastify'

/** A refusal or failure, as RFC 9457 describes it, with the codes and hints of the command line. */
export interface Problem {
  readonly status: number
  readonly code: string
  readonly detail: string
  /** What to do about it. */
  readonly hint?: string
  /** Further facts, such as what has changed since it was shown. */
  readonly more?: object
}

/** Ends a request with a problem. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

/** The document of a problem. */
export function problemDocument({ status, code, detail, hint, more }: Problem): object {
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    code,
    ...(hint === undefined || hint === '' ? {} : { hint }),
    ...more,
  }
}

/** Answers with a problem. */
export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply
    .code(problem.status)
    .type('application/problem+json')
    .send(JSON.stringify(problemDocument(problem)))
}
