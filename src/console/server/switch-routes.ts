import type { FastifyRequest } from 'fastify'
import type { ScheduleVerb } from '../../acts/schedules/index.ts'
import type { TriggersAct } from '../../acts/triggers/index.ts'
import * as documents from '../../documents/index.ts'
import { objectOf } from '../../documents/index.ts'
import { readSwitchForm } from './act-forms.ts'
import { type ActSurroundings, backOf, eitherAct, type ShownAt, whoIs } from './act-route.ts'
import { comment } from './act-routes.ts'
import type { Sent } from './acts.ts'
import { part } from './read-routes.ts'
import type { Route } from './route.ts'

const schedulesPage: ShownAt = { page: 'schedules', path: '/schedules' }

const verbs: readonly { readonly verb: ScheduleVerb; readonly about: string }[] = [
  { verb: 'trigger', about: 'Starts a run of a schedule now. `shown`: its last time, or `never`.' },
  { verb: 'pause', about: 'Pauses a schedule. `shown`: since when it is paused, or `active`.' },
  { verb: 'unpause', about: 'Resumes a schedule from its next time on. `shown`: since when it is paused.' },
]

/** Pause, resume and trigger automatic starts: as JSON, and as forms that work without scripts. */
export function switchRoutes(surroundings: ActSurroundings): readonly Route[] {
  const { acts, reads } = surroundings
  const shared = {
    access: 'admin',
    body: objectOf({ shown: { type: 'string', maxLength: 100 }, 'comment?': comment }),
    readBody: (given: Sent<TriggersAct>) => given,
    readForm: readSwitchForm,
  } as const
  const eventPage = (hook: string, id: string): ShownAt => ({
    page: 'event',
    path: `/events/${encodeURIComponent(`${hook}/${id}`)}`,
  })
  const shownAt = (request: FastifyRequest): ShownAt => backOf(request, 'events', schedulesPage)
  return [
    ...(['pause', 'unpause'] as const).flatMap((kind) =>
      eitherAct(surroundings, {
        ...shared,
        path: `/triggers/${kind}`,
        act: `${kind}-triggers`,
        about: `${kind === 'pause' ? 'Pauses' : 'Resumes'} all automatic starts. \`shown\`: since when they are paused, or \`active\`.`,
        answer: documents.triggersSetSchema,
        send: (request, given) => acts.setTriggers(kind, given, whoIs(request)),
        next: (request) => shownAt(request).path,
        shownAt,
      }),
    ),
    ...verbs.flatMap(({ verb, about }) =>
      eitherAct(surroundings, {
        ...shared,
        path: `/schedules/:id/${verb}`,
        act: `${verb}-schedule`,
        about,
        answer: documents.scheduleChangedSchema,
        send: (request, given) =>
          acts.changeSchedule({ id: part(request, 'id'), verb, ...given }, whoIs(request)),
        next: (_, { run_id: runId }) =>
          runId === undefined ? schedulesPage.path : `/runs/${encodeURIComponent(runId)}`,
        shownAt: () => schedulesPage,
      }),
    ),
    ...eitherAct(surroundings, {
      ...shared,
      access: 'operator',
      readBody: (given: { readonly shown: string }) => given,
      path: '/events/:hook/:id/send-again',
      body: objectOf({ shown: { type: 'string', pattern: '^\\w{1,32}$' } }),
      act: 'send-event-again',
      about:
        'Sends a recorded event once more. `shown`: a word that the id of the new event ends with; the same word again is the same event.',
      answer: documents.eventSchema,
      send: async (request, given) =>
        acts.sendAgain(
          await reads.event(`${part(request, 'hook')}/${part(request, 'id')}`),
          given.shown,
          whoIs(request),
        ),
      next: (_, { hook, event_id }) => eventPage(hook, event_id).path,
      shownAt: (request) => eventPage(part(request, 'hook'), part(request, 'id')),
    }),
  ]
}
