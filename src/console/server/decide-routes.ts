import type { FastifyRequest } from 'fastify'
import type { JsonSchema } from '../../core/json.ts'
import * as documents from '../../documents/index.ts'
import { anyObject, objectOf, oneWord, text } from '../../documents/index.ts'
import { readDecideForm } from './act-forms.ts'
import { type ActSurroundings, apiAct, formAct, whoIs } from './act-route.ts'
import { comment, wordSchema } from './act-routes.ts'
import type { DecideHere } from './acts.ts'
import { findOutcome } from './page-routes.ts'
import { part } from './read-routes.ts'
import type { Route } from './route.ts'

/** Resolve an unknown outcome: as JSON, and as a form that works without scripts. */
export function decideRoutes(surroundings: ActSurroundings): readonly Route[] {
  const { acts, reads } = surroundings
  const runPage = (request: FastifyRequest): string => `/runs/${encodeURIComponent(part(request, 'id'))}`
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
      (request) => acts.decide(part(request, 'id'), request.body as DecideHere, whoIs(request)),
    ),
    formAct(surroundings, {
      path: '/runs/:id/decide/*',
      access: 'approver',
      async act(request) {
        const given = { ...readDecideForm(request.body), step: part(request, '*') }
        const { left } = (await acts.decide(part(request, 'id'), given, whoIs(request))) as {
          readonly left: readonly string[]
        }
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
