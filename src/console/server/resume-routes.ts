import type { FastifyRequest } from 'fastify'
import type { ResumeAct } from '../../acts/resume/index.ts'
import type { JsonObject, JsonSchema } from '../../core/json.ts'
import * as documents from '../../documents/index.ts'
import { anyObject, arrayOf, flag, objectOf, text } from '../../documents/index.ts'
import { readCompareForm, readResumeForm } from './act-forms.ts'
import { type ActSurroundings, apiAct, formAct, givenIn, runPage, whoIs } from './act-route.ts'
import { wordSchema } from './act-routes.ts'
import type { Sent } from './acts.ts'
import { part } from './read-routes.ts'
import type { Route } from './route.ts'

const changes = {
  'newest?': flag,
  'inputs?': anyObject,
  'from?': text,
  'repeat?': arrayOf(text),
  'keep?': arrayOf(text),
  'skip?': arrayOf(text),
}

/** Compare a resume, and resume exactly as it was compared: as JSON, and as forms that work without scripts. */
export function resumeRoutes(surroundings: ActSurroundings): readonly Route[] {
  const { acts, reads, pages } = surroundings
  /** The inputs of the run and those of its file as it is now: a page can have been made from either. */
  const inputsOf = async (request: FastifyRequest): Promise<readonly JsonSchema[]> => {
    const id = part(request, 'id')
    const found = await Promise.all([
      reads.comparison(id),
      acts.compare(id, { newest: true }).catch(() => ({ inputs: {} })),
    ])
    return found.map((compared) => (compared as { readonly inputs: JsonSchema }).inputs)
  }
  const shownAt = async (request: FastifyRequest) => ({
    page: 'resume' as const,
    path: pageOf(request),
    madeFrom: await inputsOf(request),
  })
  return [
    apiAct(
      surroundings,
      {
        path: '/runs/:id/comparison',
        access: 'operator',
        about:
          'Compares a resume, as `opsbook resume --dry-run`. `newest`: with the runbook as its file is now.',
        body: objectOf(changes),
        answer: documents.comparedSchema,
      },
      (request) => acts.compare(part(request, 'id'), changesIn(request)),
    ),
    apiAct(
      surroundings,
      {
        path: '/runs/:id/resume',
        access: 'operator',
        about: 'Resumes a run exactly as `shown` names it, if its comparison is still the same.',
        body: objectOf({ shown: wordSchema, ...changes }),
        answer: documents.resumedSchema,
      },
      (request) => acts.resume(part(request, 'id'), changesIn(request), whoIs(request)),
    ),
    formAct(surroundings, {
      path: '/runs/:id/comparison',
      access: 'operator',
      shownAt,
      async act(request, reply) {
        const compared = await acts.compare(part(request, 'id'), readCompareForm(request.body))
        const given = givenIn(request, await inputsOf(request))
        await pages.send('resume', request, reply, {
          path: pageOf(request),
          data: { compared: { ...compared, given } },
        })
        return undefined
      },
    }),
    formAct(surroundings, {
      path: '/runs/:id/resume',
      access: 'operator',
      shownAt,
      async act(request) {
        await acts.resume(part(request, 'id'), readResumeForm(request.body), whoIs(request))
        return runPage(request)
      },
    }),
  ]
}

/** The changes in the body of a request. */
function changesIn({ body }: FastifyRequest): Sent<ResumeAct> {
  const { inputs, ...more } = body as Omit<Sent<ResumeAct>, 'inputs'> & { readonly inputs?: JsonObject }
  return { ...more, inputs: () => inputs }
}

function pageOf(request: FastifyRequest): string {
  return `${runPage(request)}/resume`
}
