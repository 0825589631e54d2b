import type { FastifyRequest } from 'fastify'
import type { AnswerAct } from '../../acts/answer/index.ts'
import type { JsonSchema, JsonValue } from '../../core/json.ts'
import { longestComment } from '../../core/people/index.ts'
import type { ControlKind } from '../../core/record/index.ts'
import * as documents from '../../documents/index.ts'
import { anything, flag, objectOf, text, wholeNumber } from '../../documents/index.ts'
import { readAnswerForm, readControlForm } from './act-forms.ts'
import { type ActSurroundings, apiAct, formAct, loginOf, runPage, whoIs } from './act-route.ts'
import type { Sent } from './acts.ts'
import { part } from './read-routes.ts'
import type { Role, Route } from './route.ts'
import type { Login } from './sessions.ts'

/** The body of an answer. */
type AnswerBody = Omit<Sent<AnswerAct>, 'value'> & { readonly value?: JsonValue }

/** The word of what was on the screen. */
export const wordSchema: JsonSchema = { type: 'string', pattern: '^[1-9][0-9]{0,5}-[0-9a-f]{10}$' }
/** What a person says about an act. */
export const comment: JsonSchema = { type: 'string', maxLength: longestComment }

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
export function actRoutes(surroundings: ActSurroundings): readonly Route[] {
  const { acts } = surroundings
  const api = <T extends object>(
    path: string,
    access: Role,
    about: string,
    body: JsonSchema,
    answer: documents.Schema<T>,
    act: (runId: string, given: never, login: Login) => Promise<T>,
  ): Route =>
    apiAct(surroundings, { path: `/runs/:id/${path}`, access, about, body, answer }, (request) =>
      act(part(request, 'id'), request.body as never, loginOf(request)),
    )
  const form = (
    path: string,
    access: Role,
    act: (request: FastifyRequest) => Promise<{ readonly run_id: string; readonly status?: string }>,
  ): Route =>
    formAct(surroundings, {
      path: `/runs/:id/${path}`,
      access,
      async act(request) {
        const { status } = await act(request)
        // The page of the run says how it continues.
        return status === 'interrupted' ? runPage(request) : backOf(request)
      },
      shownAt: (request) => ({ page: backOf(request) === '/inbox' ? 'inbox' : 'run', path: backOf(request) }),
    })
  return [
    api(
      'answers',
      'approver',
      'Answers questions of a run as they were shown: all that `shown` names, or none.',
      objectOf({ step: text, shown: wordSchema, approved: flag, 'value?': anything, 'comment?': comment }),
      documents.answeredSchema,
      (id, { value, ...given }: AnswerBody, login) =>
        acts.answer(id, { ...given, value: () => value }, login),
    ),
    form('answers', 'approver', async (request) =>
      acts.answer(part(request, 'id'), readAnswerForm(request.body), loginOf(request)),
    ),
    ...controls.flatMap(({ kind, access, about }) => [
      api(
        kind,
        access,
        `${about} \`shown\`: how many control requests of the run were shown.`,
        objectOf({ shown: wholeNumber, 'comment?': comment }),
        documents.controlledSchema,
        (id, given: object, { by }) => acts.control(id, { ...(given as { shown: number }), kind }, by),
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
  return back === 'inbox' ? '/inbox' : runPage(request)
}
