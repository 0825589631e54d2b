import type { FastifyRequest } from 'fastify'
import type { JsonSchema } from '../../core/json.ts'
import type { ConsoleReads, EventsQuery, RunsQuery } from './reads.ts'
import type { Route } from './route.ts'
import { count, flag, list, ref, text } from './schemas/build.ts'

const limit: JsonSchema = { type: 'integer', minimum: 1, maximum: 1000, default: 50 }

/** The filters of a list of runs. */
export const runsQuery: Readonly<Record<string, JsonSchema>> = {
  status: list(text),
  runbook: text,
  label: list(text),
  since: text,
  until: text,
  after: text,
  limit,
}

/** The filters of a list of events. */
export const eventsQuery: Readonly<Record<string, JsonSchema>> = {
  hook: text,
  runbook: text,
  because: text,
  started: flag,
  since: text,
  limit,
}

const svg = 'image/svg+xml'

/** The routes of `/api/v1` that read. */
export function readRoutes(reads: ConsoleReads): readonly Route[] {
  return [
    get(
      '/runs',
      'Runs, newest first.',
      ref('Runs'),
      ({ query }) => reads.runs(query as RunsQuery),
      runsQuery,
    ),
    get('/runs/:id', 'A run, as `opsbook show --output json`.', ref('Run'), (request) =>
      reads.run(part(request, 'id')),
    ),
    get(
      '/runs/:id/journal',
      'The events of a run, as `opsbook logs --output ndjson`, each with its number.',
      ref('Journal'),
      (request) => reads.journal(part(request, 'id'), request.query as { readonly limit: number }),
      { after: count, limit },
    ),
    image('/runs/:id/graph.svg', 'What happened in a run, as a drawing.', (request) =>
      reads.graph(part(request, 'id')),
    ),
    get(
      '/inbox',
      'What waits for a person, as `opsbook inbox --output json`.',
      ref('Inbox'),
      ({ query }) => reads.inbox(query as { readonly limit: number }),
      { limit },
    ),
    get('/runbooks', 'The runbooks of the folder.', ref('Runbooks'), () => reads.runbooks()),
    get('/runbooks/:name', 'A runbook, with the schema of its inputs.', ref('Runbook'), (request) =>
      reads.runbook(part(request, 'name')),
    ),
    image('/runbooks/:name/graph.svg', 'A runbook, as a drawing.', (request) =>
      reads.runbookGraph(part(request, 'name')),
    ),
    get(
      '/events',
      'Received events, newest first, as `opsbook events --output json`.',
      ref('Events'),
      ({ query }) => reads.events(query as EventsQuery),
      eventsQuery,
    ),
    get('/events/:hook/:id', 'An event, as `opsbook events show --output json`.', ref('Event'), (request) =>
      reads.event(`${part(request, 'hook')}/${part(request, 'id')}`),
    ),
    get('/schedules', 'The schedules, as `opsbook schedules --output json`.', ref('Schedules'), () =>
      reads.schedules(),
    ),
    get('/system', 'The checks of `opsbook doctor --output json`.', ref('System'), () => reads.system()),
  ]
}

function get(
  path: string,
  about: string,
  answer: JsonSchema,
  handle: (request: FastifyRequest) => Promise<object>,
  query?: Route['query'],
): Route {
  return {
    method: 'GET',
    path: `/api/v1${path}`,
    access: 'viewer',
    about,
    answer,
    ...(query === undefined ? {} : { query }),
    handle,
  }
}

/** A drawing has its own styles, and can do nothing, also where a person opens it alone. */
const ofDrawings = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

function image(path: string, about: string, draw: (request: FastifyRequest) => Promise<string>): Route {
  return {
    method: 'GET',
    path: `/api/v1${path}`,
    access: 'viewer',
    about,
    answer: svg,
    async handle(request, reply) {
      const drawing = await draw(request)
      await reply.header('content-security-policy', ofDrawings).type(svg).send(drawing)
      return undefined
    },
  }
}

/** A parameter of the address. */
export function part({ params }: FastifyRequest, name: string): string {
  return String((params as Readonly<Record<string, string>>)[name])
}
