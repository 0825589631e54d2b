import type { FastifyRequest } from 'fastify'
import type { ResumeAct } from '../../acts/resume/index.ts'
import type { JsonObject, JsonSchema } from '../../core/json.ts'
import * as documents from '../../documents/index.ts'
import { anyObject, arrayOf, flag, objectOf, text } from '../../documents/index.ts'
import { readCompareForm, readResumeForm } from './act-forms.ts'
import { type ActSurroundings, eitherAct, givenIn, runPage, type ShownAt, whoIs } from './act-route.ts'
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
  const shared = {
    access: 'operator',
    readBody: changesIn,
    shownAt: async (request: FastifyRequest): Promise<ShownAt> => ({
      page: 'resume',
      path: pageOf(request),
      madeFrom: await inputsOf(request),
    }),
  } as const
  return [
    ...eitherAct(surroundings, {
      ...shared,
      path: '/runs/:id/comparison',
      about:
        'Compares a resume, as `opsbook resume --dry-run`. `newest`: with the runbook as its file is now.',
      body: objectOf(changes),
      answer: documents.comparedSchema,
      readForm: readCompareForm,
      send: (request, given) => acts.compare(part(request, 'id'), given),
      async next(request, compared, reply) {
        const given = givenIn(request, await inputsOf(request))
        await pages.send('resume', request, reply, {
          path: pageOf(request),
          data: { compared: { ...compared, given } },
        })
        return undefined
      },
    }),
    ...eitherAct(surroundings, {
      ...shared,
      path: '/runs/:id/resume',
      about: 'Resumes a run exactly as `shown` names it, if its comparison is still the same.',
      body: objectOf({ shown: wordSchema, ...changes }),
      answer: documents.resumedSchema,
      readForm: readResumeForm,
      send: (request, given) => acts.resume(part(request, 'id'), given, whoIs(request)),
      next: runPage,
    }),
  ]
}

type ResumeBody = Omit<Sent<ResumeAct>, 'inputs'> & { readonly inputs?: JsonObject }

/** The changes in the body of a request. */
function changesIn({ inputs, ...more }: ResumeBody): Sent<ResumeAct> {
  return { ...more, inputs: () => inputs }
}

function pageOf(request: FastifyRequest): string {
  return `${runPage(request)}/resume`
}
