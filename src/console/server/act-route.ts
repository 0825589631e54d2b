import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Identity } from '../../core/events.ts'
import type { JsonSchema } from '../../core/json.ts'
import type { Schema } from '../../documents/index.ts'
import { fieldsOf } from '../form-fields.ts'
import type { PageState } from '../state.ts'
import type { ConsoleActs } from './acts.ts'
import { findSession, wantsPage } from './guard.ts'
import type { Pages, ShownPage } from './page-routes.ts'
import { ConsoleError, markProblem, type Problem } from './problem.ts'
import { problemOf } from './problem-of.ts'
import { part } from './read-routes.ts'
import type { ConsoleReads } from './reads.ts'
import type { Role, Route } from './route.ts'
import type { Login } from './sessions.ts'

/** What every route of an act needs. */
export interface ActSurroundings {
  readonly acts: ConsoleActs
  readonly reads: ConsoleReads
  readonly pages: Pages
}

/** An act as JSON, under `/api/v1`. */
export interface ApiAct<T> extends Pick<Route, 'path' | 'act'> {
  readonly access: Role
  readonly about: string
  readonly body: JsonSchema
  readonly answer: Schema<T>
}

/** The route of an act as JSON. */
export function apiAct<T extends object>(
  { pages }: Pick<ActSurroundings, 'pages'>,
  { path, body, ...more }: ApiAct<T>,
  act: (request: FastifyRequest) => Promise<T>,
): Route {
  return {
    ...more,
    method: 'POST',
    path: `/api/v1${path}`,
    body: { ...body, additionalProperties: false },
    async handle(request) {
      const done = await act(request)
      pages.forget()
      return done
    },
  }
}

/** An act as a form, which works without scripts. */
export interface FormAct extends Pick<Route, 'path' | 'act'> {
  readonly access: Role
  /** Resolves with the address to go to, or with undefined where it has answered with a page. */
  send(request: FastifyRequest, reply: FastifyReply): Promise<string | undefined>
  /** The page that shows why the form was refused. */
  shownAt(request: FastifyRequest): ShownAt | Promise<ShownAt>
}

/** An act both as JSON and as a form, at the same path. */
export interface EitherAct<Given, T> extends ApiAct<T>, Pick<FormAct, 'shownAt'> {
  readBody(body: never, request: FastifyRequest): Given
  readForm(body: unknown, request: FastifyRequest): Given
  send(request: FastifyRequest, given: Given): Promise<T>
  /** What follows in the page: see {@link FormAct.send}. */
  next(request: FastifyRequest, done: T, reply: FastifyReply): string | Promise<string | undefined>
}

/** The two routes of such an act. */
export function eitherAct<Given, T extends object>(
  surroundings: ActSurroundings,
  { readBody, readForm, send, next, shownAt, ...shared }: EitherAct<Given, T>,
): readonly Route[] {
  const { about, body, answer, ...route } = shared
  return [
    apiAct(surroundings, shared, (request) => send(request, readBody(request.body as never, request))),
    formAct(surroundings, {
      ...route,
      send: async (request, reply) =>
        next(request, await send(request, readForm(request.body, request)), reply),
      shownAt,
    }),
  ]
}

/** A page, and its address. */
export interface ShownAt {
  readonly page: ShownPage
  readonly path: string
  /** What the fields of the form are made from: see {@link givenIn}. Left out: nothing that it takes is sensitive. */
  readonly madeFrom?: readonly (JsonSchema | undefined)[]
}

/** The route of an act as a form. A refusal is shown in the page that the form came from. */
export function formAct({ pages }: ActSurroundings, { send, shownAt, ...route }: FormAct): Route {
  return {
    ...route,
    method: 'POST',
    async handle(request, reply) {
      try {
        const next = await send(request, reply)
        pages.forget()
        if (next !== undefined) await reply.redirect(next, 303)
      } catch (error) {
        const problem = error instanceof ConsoleError ? error.problem : problemOf(error)
        if (problem === undefined || !wantsPage(request)) throw error
        pages.forget()
        const { page, path: from, madeFrom } = await shownAt(request)
        markProblem(reply, problem)
        await pages.send(page, request, reply, { path: from, refused: refusedOf(request, problem, madeFrom) })
      }
      return undefined
    },
  }
}

/** What a form asked for and did not get, for its page. */
function refusedOf(
  request: FastifyRequest,
  { detail, hint }: Problem,
  madeFrom: ShownAt['madeFrom'],
): NonNullable<PageState['refused']> {
  const { id } = request.params as { readonly id?: string }
  const isOfRun = request.routeOptions.url?.startsWith('/runs/') === true
  return {
    ...(id === undefined || !isOfRun ? {} : { run_id: id }),
    detail,
    ...(hint === undefined || hint === '' ? {} : { hint }),
    given: givenIn(request, madeFrom),
  }
}

/**
 * What of a form can be sent back to its page: not the proof of its session, no field that one of the schemas calls
 * sensitive, and none that all of them lack.
 */
export function givenIn(
  { body }: FastifyRequest,
  madeFrom: ShownAt['madeFrom'],
): Readonly<Record<string, string | readonly string[]>> {
  const given = (body ?? {}) as Readonly<Record<string, string | readonly string[]>>
  const fields = madeFrom?.flatMap(fieldsOf)
  const isShown = (name: string): boolean => {
    const [, field] = /^(?:set|choice):(.*)$/s.exec(name) ?? []
    if (fields === undefined || field === undefined) return name !== 'csrf'
    const known = fields.filter((one) => one.name === field)
    return known.length > 0 && known.every(({ isSecret }) => !isSecret)
  }
  return Object.fromEntries(Object.entries(given).filter(([name]) => isShown(name)))
}

/** Who acts, as the record names them. */
export function whoIs(request: FastifyRequest): Identity {
  return loginOf(request).by
}

/** Who acts, with what the login has said: the guard refuses everyone else. */
export function loginOf(request: FastifyRequest): Login {
  const session = findSession(request)
  if (session === undefined) throw new Error('an act without a session')
  return session
}

/** Where a form came from: this page, or else the usual one. An address that the form names itself would be one of a stranger. */
export function backOf({ body }: FastifyRequest, page: 'inbox' | 'events', usual: ShownAt): ShownAt {
  const { back } = (body ?? {}) as { readonly back?: unknown }
  return back === page ? { page, path: `/${page}` } : usual
}

/** The page of the run that the address of a request names. */
export function runPage(request: FastifyRequest): string {
  return `/runs/${encodeURIComponent(part(request, 'id'))}`
}
