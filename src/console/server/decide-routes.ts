import type { FastifyRequest } from 'fastify'
import { type DecideAct, type OutputsProblem, OutputsRefused } from '../../acts/decide/index.ts'
import type { JsonObject, JsonSchema } from '../../core/json.ts'
import * as documents from '../../documents/index.ts'
import { anyObject, type Decided, objectOf, oneWord, text } from '../../documents/index.ts'
import { readDecideForm } from './act-forms.ts'
import { type ActSurroundings, apiAct, formAct, runPage, whoIs } from './act-route.ts'
import { comment, wordSchema } from './act-routes.ts'
import type { Sent } from './acts.ts'
import { findOutcome } from './page-routes.ts'
import { ConsoleError } from './problem.ts'
import { part } from './read-routes.ts'
import type { Route } from './route.ts'

/** The body of a decision. */
type DecideBody = Omit<Sent<DecideAct>, 'outputs'> & { readonly outputs?: JsonObject }

/** Resolve an unknown outcome: as JSON, and as a form that works without scripts. */
export function decideRoutes(surroundings: ActSurroundings): readonly Route[] {
  const { acts, reads } = surroundings
  const decide = (request: FastifyRequest, act: Sent<DecideAct>, give: Words): Promise<Decided> =>
    acts.decide(part(request, 'id'), act, whoIs(request)).catch((thrown: unknown) => {
      throw thrown instanceof OutputsRefused ? refusedOutputs(thrown.problem, give) : thrown
    })
  return [
    apiAct(
      surroundings,
      {
        path: '/runs/:id/decisions',
        access: 'approver',
        act: 'decide',
        about: 'Resolves a call with an unknown outcome as it was shown.',
        body: objectOf({
          step: text,
          shown: wordSchema,
          decision: oneWord('succeeded', 'failed', 'retry'),
          'outputs?': anyObject,
          'comment?': comment,
        }),
        answer: documents.decidedSchema,
      },
      (request) => {
        const { outputs, ...given } = request.body as DecideBody
        const act = { ...given, ...(outputs === undefined ? {} : { outputs: () => outputs }) }
        return decide(request, act, (lacking) => `give ${lacking} in "outputs"`)
      },
    ),
    formAct(surroundings, {
      path: '/runs/:id/decide/*',
      access: 'approver',
      async send(request) {
        const given = { ...readDecideForm(request.body), step: part(request, '*') }
        const { left } = await decide(request, given, (lacking) => `fill in ${lacking}`)
        return left.length === 0 ? `${runPage(request)}/resume` : runPage(request)
      },
      async shownAt(request) {
        const path = part(request, '*')
        const outcome = await findOutcome(reads, part(request, 'id'), path)
        // Another person has resolved it: the page of the run says what it waits for now.
        if (outcome === undefined) return { page: 'run', path: runPage(request) }
        const { output } = outcome as { readonly output?: JsonSchema }
        return {
          page: 'decide',
          path: `${runPage(request)}/decide/${encodeURIComponent(path)}`,
          madeFrom: [output],
        }
      },
    }),
  ]
}

/** How a program or a person gives what is lacking. */
type Words = (lacking: string) => string

/** An answer that does not fit, in the words of who has sent it: a form has fields. */
function refusedOutputs({ called, wrong, lack, missing, hint }: OutputsProblem, give: Words): ConsoleError {
  const what = missing.length === 0 ? 'what it has answered' : missing.join(', ')
  return new ConsoleError({
    status: 400,
    code: 'InvalidUsage',
    detail:
      wrong.length > 0 ? `this is not what ${called} answers: ${wrong.join('; ')}` : `${lack}: ${give(what)}`,
    ...(hint === undefined ? {} : { hint }),
  })
}
