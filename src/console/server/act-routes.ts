import type { FastifyRequest } from 'fastify'
import type { AnswerAct } from '../../acts/answer/index.ts'
import type { ControlAct } from '../../acts/control/index.ts'
import type { JsonSchema, JsonValue } from '../../core/json.ts'
import { longestComment } from '../../core/people/index.ts'
import type { ControlKind } from '../../core/record/index.ts'
import * as documents from '../../documents/index.ts'
import { anything, flag, objectOf, text, wholeNumber } from '../../documents/index.ts'
import { readAnswerForm, readControlForm } from './act-forms.ts'
import {
  type ActSurroundings,
  backOf,
  eitherAct,
  loginOf,
  runPage,
  type ShownAt,
  whoIs,
} from './act-route.ts'
import type { Sent } from './acts.ts'
import { part } from './read-routes.ts'
import type { Role, Route } from './route.ts'

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
  const shownAt = (request: FastifyRequest): ShownAt =>
    backOf(request, 'inbox', { page: 'run', path: runPage(request) })
  return [
    ...eitherAct(surroundings, {
      path: '/runs/:id/answers',
      access: 'approver',
      about: 'Answers questions of a run as they were shown: all that `shown` names, or none.',
      body: objectOf({
        step: text,
        shown: wordSchema,
        approved: flag,
        'value?': anything,
        'comment?': comment,
      }),
      answer: documents.answeredSchema,
      readBody: ({ value, ...given }: AnswerBody): Sent<AnswerAct> => ({ ...given, value: () => value }),
      readForm: readAnswerForm,
      send: (request, given) => acts.answer(part(request, 'id'), given, loginOf(request)),
      // The page of the run says how it continues.
      next: (request, { status }) => (status === 'interrupted' ? runPage(request) : shownAt(request).path),
      shownAt,
    }),
    ...controls.flatMap(({ kind, access, about }) =>
      eitherAct(surroundings, {
        path: `/runs/:id/${kind}`,
        access,
        about: `${about} \`shown\`: how many control requests of the run were shown.`,
        body: objectOf({ shown: wholeNumber, 'comment?': comment }),
        answer: documents.controlledSchema,
        readBody: (given: Omit<Sent<ControlAct>, 'kind'>) => given,
        readForm: readControlForm,
        send: (request, given) => acts.control(part(request, 'id'), { ...given, kind }, whoIs(request)),
        next: (request) => shownAt(request).path,
        shownAt,
      }),
    ),
  ]
}
