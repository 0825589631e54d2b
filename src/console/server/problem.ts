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

const codes = new WeakMap<FastifyReply, string>()

/** The code of the problem that an answer is. Undefined: it is none. */
export function codeOf(reply: FastifyReply): string | undefined {
  return codes.get(reply)
}

/** Says that the answer is a problem, whatever shows it. */
export function markProblem(reply: FastifyReply, { status, code }: Problem): FastifyReply {
  codes.set(reply, code)
  return reply.code(status)
}

/** Answers with a problem. */
export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  return markProblem(reply, problem)
    .type('application/problem+json')
    .send(JSON.stringify(problemDocument(problem)))
}
