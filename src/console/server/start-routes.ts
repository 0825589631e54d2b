import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { StartAct } from '../../acts/start/index.ts'
import type { JsonObject, JsonSchema } from '../../core/json.ts'
import * as documents from '../../documents/index.ts'
import { anyObject, objectOf, text } from '../../documents/index.ts'
import { readPlanForm, readStartForm } from './act-forms.ts'
import { type ActSurroundings, apiAct, eitherAct, formAct, givenIn, whoIs } from './act-route.ts'
import { wordSchema } from './act-routes.ts'
import { createOnce } from './once.ts'
import { ConsoleError } from './problem.ts'
import { part } from './read-routes.ts'
import type { Route } from './route.ts'

/** The body of a start. */
type StartBody = Pick<StartAct, 'runbook' | 'shown'> & { readonly inputs?: JsonObject }

/** Plan a run, and start it exactly as it was planned: as JSON, and as forms that work without scripts. */
export function startRoutes(surroundings: ActSurroundings): readonly Route[] {
  const { acts, reads, pages } = surroundings
  const once = createOnce<object>()
  const inputsOf = async (request: FastifyRequest): Promise<JsonSchema | undefined> => {
    const { inputs } = (await reads.runbook(part(request, 'name'))) as { readonly inputs?: JsonSchema }
    return inputs
  }
  const shownAt = async (request: FastifyRequest) => ({
    page: 'start' as const,
    path: pageOf(request),
    madeFrom: [await inputsOf(request)],
  })
  return [
    ...eitherAct(surroundings, {
      path: '/runbooks/:name/plan',
      access: 'operator',
      about: 'Previews a run as `opsbook plan --output json`. `shown` names the preview for the start.',
      body: objectOf({ 'inputs?': anyObject }),
      answer: documents.plannedSchema,
      readBody: (given: object, request) => startIn({ ...given, runbook: part(request, 'name') }),
      readForm: (given, request) => readPlanForm(given, part(request, 'name')),
      send: (_, given) => acts.plan(given),
      async next(request, planned, reply) {
        const given = givenIn(request, [await inputsOf(request)])
        await pages.send('start', request, reply, {
          path: pageOf(request),
          data: { planned: { ...planned, once: randomUUID(), given } },
        })
        return undefined
      },
      shownAt,
    }),
    apiAct(
      surroundings,
      {
        path: '/runs',
        access: 'operator',
        act: 'start',
        about:
          'Starts a run. With `shown` exactly as it was planned, if its plan is still the same. Send `Idempotency-Key`: a repeated request with the same key answers with the same run, also after a restart.',
        body: objectOf({ runbook: text, 'shown?': wordSchema, 'inputs?': anyObject }),
        answer: documents.startedSchema,
      },
      (request) => acts.start({ ...startIn(request.body as StartBody), ...keyIn(request) }, whoIs(request)),
    ),
    formAct(surroundings, {
      path: '/runbooks/:name/start',
      access: 'operator',
      shownAt,
      async send(request) {
        const given = readStartForm(request.body, part(request, 'name'))
        const form = (request.body as { readonly once?: unknown }).once
        const started = await once(form, () => acts.start(given, whoIs(request)))
        return `/runs/${encodeURIComponent((started as { readonly run_id: string }).run_id)}`
      },
    }),
  ]
}

/** The start in the body of a request. */
function startIn({ inputs = {}, ...more }: StartBody): StartAct {
  return { ...more, inputs: () => inputs }
}

/** The key of a start: printable ASCII, which a sender makes anew for each run. */
function keyIn({ headers }: FastifyRequest): { readonly key?: string } {
  const key = headers['idempotency-key']
  if (key === undefined) return {}
  if (typeof key === 'string' && /^[!-~]{1,200}$/.test(key)) return { key }
  throw new ConsoleError({
    status: 400,
    code: 'InvalidUsage',
    detail: 'Idempotency-Key is 1 to 200 printable characters without blanks',
    hint: 'send a UUID, the same one when the request is repeated',
  })
}

function pageOf(request: FastifyRequest): string {
  return `/runbooks/${encodeURIComponent(part(request, 'name'))}/start`
}
