import type { FastifyReply, FastifyRequest } from 'fastify'
import type { JsonSchema } from '../../core/json.ts'
import type { ControlKind, Identity } from '../../core/record/index.ts'
import { readAnswerForm, readControlForm } from './act-forms.ts'
import type { ConsoleActs } from './acts.ts'
import { findSession, wantsPage } from './guard.ts'
import type { Pages } from './page-routes.ts'
import { ConsoleError, markProblem, type Problem } from './problem.ts'
import { part } from './read-routes.ts'
import type { Role, Route } from './route.ts'
import { anything, count, flag, record, ref, text } from './schemas/build.ts'

/** What the routes of acts are made from. */
export interface ActRouteOptions {
  readonly acts: ConsoleActs
  readonly pages: Pages
  readonly problemOf: (error: unknown) => Problem | undefined
}

const shown: JsonSchema = { type: 'string', pattern: '^[1-9][0-9]{0,5}-[0-9a-f]{10}$' }
const comment: JsonSchema = { type: 'string', maxLength: 4000 }

/** The words of the control requests, and who may send them. */
const controls: readonly { readonly kind: ControlKind; readonly access: Role; readonly about: string }[] = [
  {
    kind: 'cancel',
    access: 'operator',
    about: 'Cancels a run; its clean-up runs. A second one aborts the clean-up.',
  },
  { kind: 'cancel-now', access: 'admin', about: 'Cancels a run without its clean-up.' },
  { kind: 'pause', access: 'operator', about: 'Pauses a run; calls in flight end.' },
  { kind: 'unpause', access: 'operator', about: 'Continues a paused run.' },
]

/**
 * What people do, as JSON under `/api/v1` and as forms that work without scripts. A refusal of a form is shown in the
 * page that it came from.
 */
export function actRoutes({ acts, pages, problemOf }: ActRouteOptions): readonly Route[] {
  const api = (
    path: string,
    access: Role,
    about: string,
    body: JsonSchema,
    answer: JsonSchema,
    act: (runId: string, given: never, by: Identity) => Promise<object>,
  ): Route => ({
    method: 'POST',
    path: `/api/v1/runs/:id/${path}`,
    access,
    about,
    body: { ...body, additionalProperties: false },
    answer,
    async handle(request) {
      const done = await act(part(request, 'id'), request.body as never, whoIs(request))
      pages.forget()
      return done
    },
  })
  const form = (path: string, access: Role, act: (request: FastifyRequest) => Promise<object>): Route => ({
    method: 'POST',
    path: `/runs/:id/${path}`,
    access,
    async handle(request, reply) {
      try {
        await act(request)
      } catch (error) {
        const problem = error instanceof ConsoleError ? error.problem : problemOf(error)
        if (problem === undefined || !wantsPage(request)) throw error
        pages.forget()
        await showRefusal(request, reply, problem)
        return undefined
      }
      pages.forget()
      await reply.redirect(backOf(request), 303)
      return undefined
    },
  })
  async function showRefusal(request: FastifyRequest, reply: FastifyReply, problem: Problem): Promise<void> {
    const { detail, hint } = problem
    const { csrf: _, ...given } = (request.body ?? {}) as Readonly<Record<string, string | string[]>>
    const refused = {
      run_id: part(request, 'id'),
      detail,
      ...(hint === undefined || hint === '' ? {} : { hint }),
      given,
    }
    const path = backOf(request)
    const page = path === '/inbox' ? 'inbox' : 'run'
    markProblem(reply, problem)
    await pages.send(page, request, reply, { path, refused })
  }
  return [
    api(
      'answers',
      'approver',
      'Answers questions of a run as they were shown: all that `shown` names, or none.',
      record({ step: text, shown, approved: flag, 'value?': anything, 'comment?': comment }),
      ref('Answered'),
      (id, given, by) => acts.answer(id, given, by),
    ),
    form('answers', 'approver', async (request) =>
      acts.answer(part(request, 'id'), readAnswerForm(request.body), whoIs(request)),
    ),
    ...controls.flatMap(({ kind, access, about }) => [
      api(
        kind,
        access,
        `${about} \`shown\`: how many control requests of the run were shown.`,
        record({ shown: count, 'comment?': comment }),
        ref('Controlled'),
        (id, given: object, by) => acts.control(id, { ...(given as { shown: number }), kind }, by),
      ),
      form(kind, access, async (request) =>
        acts.control(part(request, 'id'), { ...readControlForm(request.body), kind }, whoIs(request)),
      ),
    ]),
  ]
}

/** Where a form came from. An address that the form names itself would be one of a stranger. */
function backOf(request: FastifyRequest): string {
  const { back } = (request.body ?? {}) as { readonly back?: unknown }
  return back === 'inbox' ? '/inbox' : `/runs/${encodeURIComponent(part(request, 'id'))}`
}

/** The person of the session: the guard lets nobody else come here. */
function whoIs(request: FastifyRequest): Identity {
  const session = findSession(request)
  if (session === undefined) throw new Error('an act without a session')
  return session.by
}
