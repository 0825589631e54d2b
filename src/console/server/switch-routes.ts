import type { FastifyRequest } from 'fastify'
import type { ScheduleVerb } from '../../acts/schedules/index.ts'
import type { TriggersAct } from '../../acts/triggers/index.ts'
import * as documents from '../../documents/index.ts'
import { objectOf } from '../../documents/index.ts'
import { readSwitchForm } from './act-forms.ts'
import { type ActSurroundings, apiAct, formAct, type ShownAt, whoIs } from './act-route.ts'
import { comment } from './act-routes.ts'
import type { Sent } from './acts.ts'
import { part } from './read-routes.ts'
import type { Route } from './route.ts'

const body = objectOf({ shown: { type: 'string', maxLength: 100 }, 'comment?': comment })

const verbs: readonly { readonly verb: ScheduleVerb; readonly about: string }[] = [
  { verb: 'trigger', about: 'Starts a run of a schedule now. `shown`: its last time, or `never`.' },
  { verb: 'pause', about: 'Pauses a schedule. `shown`: since when it is paused, or `active`.' },
  { verb: 'unpause', about: 'Resumes a schedule from its next time on. `shown`: since when it is paused.' },
]

/** Pause, resume and trigger automatic starts: as JSON, and as forms that work without scripts. */
export function switchRoutes(surroundings: ActSurroundings): readonly Route[] {
  const { acts } = surroundings
  const change = (request: FastifyRequest, verb: ScheduleVerb, act: Sent<TriggersAct>) =>
    acts.changeSchedule({ id: part(request, 'id'), verb, ...act }, whoIs(request))
  return [
    ...(['pause', 'unpause'] as const).flatMap((kind) => [
      apiAct(
        surroundings,
        {
          path: `/triggers/${kind}`,
          access: 'admin',
          act: `${kind}-triggers`,
          about: `${kind === 'pause' ? 'Pauses' : 'Resumes'} all automatic starts. \`shown\`: since when they are paused, or \`active\`.`,
          body,
          answer: documents.triggersSetSchema,
        },
        (request) => acts.setTriggers(kind, request.body as Sent<TriggersAct>, whoIs(request)),
      ),
      formAct(surroundings, {
        path: `/triggers/${kind}`,
        access: 'admin',
        name: `${kind}-triggers`,
        async act(request) {
          await acts.setTriggers(kind, readSwitchForm(request.body), whoIs(request))
          return backOf(request).path
        },
        shownAt: backOf,
      }),
    ]),
    ...verbs.flatMap(({ verb, about }) => [
      apiAct(
        surroundings,
        {
          path: `/schedules/:id/${verb}`,
          access: 'admin',
          act: `${verb}-schedule`,
          about,
          body,
          answer: documents.scheduleChangedSchema,
        },
        (request) => change(request, verb, request.body as Sent<TriggersAct>),
      ),
      formAct(surroundings, {
        path: `/schedules/:id/${verb}`,
        access: 'admin',
        name: `${verb}-schedule`,
        async act(request) {
          const given = readSwitchForm(request.body)
          const { run_id: runId } = await change(request, verb, given)
          return runId === undefined ? '/schedules' : `/runs/${encodeURIComponent(runId)}`
        },
        shownAt: () => ({ page: 'schedules', path: '/schedules' }),
      }),
    ]),
  ]
}

/** The page that a form came from. An address that the form names itself would be one of a stranger. */
function backOf({ body }: FastifyRequest): ShownAt {
  const { back } = (body ?? {}) as { readonly back?: unknown }
  return back === 'events' ? { page: 'events', path: '/events' } : { page: 'schedules', path: '/schedules' }
}
