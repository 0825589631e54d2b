import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ActOutcome, AuditLog, BegunAct } from '../store/index.ts'
import { findSession, safeMethods } from './guard.ts'
import { ConsoleError, codeOf } from './problem.ts'

/** The numbers of the rows of requests that act. */
const rowOf = new WeakMap<FastifyRequest, number>()
const startedBy = new WeakMap<FastifyRequest, string>()

/** Adds the run that an act has started to its row. */
export function nameRun(request: FastifyRequest, answer: unknown): void {
  const { run_id: id } = Object(answer) as { readonly run_id?: unknown }
  if (typeof id === 'string') startedBy.set(request, id)
}

/**
 * Keeps a row of each act and each refused act, by the table of routes. An act that cannot be recorded is not done. A row
 * without outcome is that of a process that has ended meanwhile.
 */
export function addAudit(app: FastifyInstance, audit: AuditLog, onDefect: (error: unknown) => void): void {
  app.addHook('preHandler', async (request) => {
    // Who logs in is known afterwards.
    if (!isAct(request) || request.routeOptions.config.access === 'anyone') return
    try {
      rowOf.set(request, audit.begin(readAct(request)))
    } catch (error) {
      onDefect(error)
      throw new ConsoleError({
        status: 503,
        code: 'DataDirUnusable',
        detail: 'nothing was done: the audit cannot be written',
        hint: 'the log of the console says why',
      })
    }
  })
  app.addHook('onSend', async (request, reply) => {
    if (!isAct(request)) return
    const id = rowOf.get(request)
    const run = startedBy.get(request) ?? runOfPage(reply.getHeader('location'))
    const outcome = { ...outcomeOf(reply), ...(run === undefined ? {} : { made: { run } }) }
    try {
      if (id === undefined) audit.add(readAct(request), outcome)
      else audit.end(id, outcome)
    } catch (error) {
      onDefect(error)
    }
  })
}

/** Whether a request is for a route that changes something, such as the way back from a provider of log-ins. */
function isAct({ is404, method, routeOptions }: FastifyRequest): boolean {
  return !is404 && (!safeMethods.has(method) || routeOptions.config.act !== undefined)
}

function readAct(request: FastifyRequest): BegunAct {
  const { method, params, socket, routeOptions } = request
  const { url = '', config } = routeOptions
  const session = findSession(request)
  const { shown, runbook } = (request.body ?? {}) as { readonly shown?: unknown; readonly runbook?: unknown }
  return {
    ...(session === undefined ? {} : { by: session.by }),
    address: session?.address ?? socket.remoteAddress ?? '',
    act: config.act ?? wordOf(url),
    route: `${method} ${url}`,
    subject: {
      ...subjectOf(url, params as Readonly<Record<string, string>>),
      ...(isWord(runbook) ? { runbook: String(runbook) } : {}),
    },
    ...(isWord(shown) ? { shown: String(shown) } : {}),
  }
}

function outcomeOf(reply: FastifyReply): ActOutcome {
  const { statusCode: status } = reply
  const code = codeOf(reply)
  return {
    outcome: status < 400 ? 'done' : status < 500 ? 'refused' : 'failed',
    status,
    ...(code === undefined ? {} : { code }),
  }
}

/** The run whose page a form leads to. */
function runOfPage(location: unknown): string | undefined {
  const [, id] = /^\/runs\/([^/?#]+)/.exec(String(location)) ?? []
  return id === undefined ? undefined : decodeURIComponent(id)
}

/** The last word of an address that is no parameter. */
function wordOf(path: string): string {
  return path.split('/').findLast((part) => part !== '' && !/^[:*]/.test(part)) ?? path
}

/** Ids of runs on Temporal can be this long. */
const longest = 1000

/** The parameters of an address, each by the word before it: `/runs/:id` is about a `run`. */
function subjectOf(path: string, params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const parts = path.split('/')
  return Object.fromEntries(
    parts.flatMap((part, at) => {
      const value = part === '*' ? params['*'] : part.startsWith(':') ? params[part.slice(1)] : undefined
      const name = (parts[at - 1] ?? '').replace(/s$/, '')
      return value === undefined ? [] : [[name, value.slice(0, longest)]]
    }),
  )
}

/** The words of what was shown are short. Anything else is not one of the console, and could hold a secret. */
function isWord(shown: unknown): shown is string | number {
  return ['string', 'number'].includes(typeof shown) && /^[\w.:-]{1,100}$/.test(String(shown))
}
