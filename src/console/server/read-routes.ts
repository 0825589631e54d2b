import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventsQuery } from '../../acts/reads/events/index.ts'
import type { RunsSelection } from '../../acts/reads/runs/index.ts'
import type { JsonSchema } from '../../core/json.ts'
import * as documents from '../../documents/index.ts'
import { arrayOf, flag, type Schema, text } from '../../documents/index.ts'
import { pageSizes } from '../page-sizes.ts'
import { ConsoleError } from './problem.ts'
import type { ConsoleReads } from './reads.ts'
import type { Route } from './route.ts'

/** How many entries one answer holds. */
export const limit: JsonSchema = limitParameter(50)

export function limitParameter(usual: number): JsonSchema {
  return { type: 'integer', minimum: 1, maximum: 1000, default: usual }
}

/** The filters of a list of runs. */
export const runsQuery: Readonly<Record<string, JsonSchema>> = {
  status: arrayOf(text),
  runbook: text,
  label: arrayOf(text),
  text,
  since: text,
  until: text,
  after: text,
  limit,
}

/** The filters of a list of events. */
export const eventsParameters: Readonly<Record<string, JsonSchema>> = {
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
      documents.runsSchema,
      ({ query }) => reads.runs(query as RunsSelection),
      runsQuery,
    ),
    get('/runs/:id', 'A run, as `opsbook show --output json`.', documents.runSchema, (request) =>
      reads.run(part(request, 'id')),
    ),
    get('/runs/:id/files', 'The files of a run.', documents.filesSchema, (request) =>
      reads.files(part(request, 'id')),
    ),
    get(
      '/runs/:id/steps/*',
      'A step, an item or a call of a run, by its path: each attempt with what it was sent and what it answered.',
      documents.stepDocumentSchema,
      (request) =>
        reads.step(
          part(request, 'id'),
          part(request, '*'),
          request.query as { readonly after?: number; readonly limit: number },
        ),
      { after: documents.wholeNumber, limit: limitParameter(pageSizes.attempts) },
    ),
    get(
      '/runs/:id/files/*',
      'A file of a run, by its name in the record. Browsers save it, and never show it.',
      'application/octet-stream',
      async (request, reply) => {
        const file = await reads.file(part(request, 'id'), part(request, '*'))
        if (file === undefined) throw noFile
        await sendAttachment(reply, file.file, file.content, file.bytes)
        return undefined
      },
    ),
    get(
      '/runs/:id/runbook',
      'The text of the runbook that a run was started with.',
      'text/plain',
      async (request, reply) => {
        const text = await reads.runbookText(part(request, 'id'))
        if (text === undefined) throw noFile
        await reply.type('text/plain; charset=utf-8').send(text)
        return undefined
      },
    ),
    image('/runs/:id/graph.svg', 'What happened in a run, as a drawing.', (request) =>
      reads.graph(part(request, 'id')),
    ),
    get(
      '/inbox',
      'What waits for a person, as `opsbook inbox --output json`.',
      documents.inboxSchema,
      ({ query }) => reads.inbox(query as { readonly limit: number }),
      { limit },
    ),
    get('/runs/:id/inbox', 'What of a run waits for a person.', documents.inboxSchema, (request) =>
      reads.waiting(part(request, 'id')),
    ),
    get(
      '/runs/:id/outcomes',
      'The calls of a run with an unknown outcome.',
      documents.outcomesSchema,
      (request) => reads.outcomes(part(request, 'id')),
    ),
    get('/runbooks', 'The runbooks of the folder.', documents.runbooksSchema, () => reads.runbooks()),
    get('/runbooks/:name', 'A runbook, with the schema of its inputs.', documents.runbookSchema, (request) =>
      reads.runbook(part(request, 'name')),
    ),
    image('/runbooks/:name/graph.svg', 'A runbook, as a drawing.', (request) =>
      reads.runbookGraph(part(request, 'name')),
    ),
    get(
      '/events',
      'Received events, newest first, as `opsbook events --output json`.',
      documents.eventsSchema,
      ({ query }) => reads.events(query as EventsQuery),
      eventsParameters,
    ),
    get(
      '/events/:hook/:id',
      'An event, as `opsbook events show --output json`.',
      documents.eventSchema,
      (request) => reads.event(`${part(request, 'hook')}/${part(request, 'id')}`),
    ),
    get('/schedules', 'The schedules, as `opsbook schedules --output json`.', documents.schedulesSchema, () =>
      reads.schedules(),
    ),
    get(
      '/limits',
      'How full the rate windows of the actions are now, the fullest first.',
      documents.rateLimitsSchema,
      () => reads.limits(),
    ),
    get('/system', 'The checks of `opsbook doctor --output json`.', documents.systemSchema, () =>
      reads.system(),
    ),
  ]
}

/** A route of `/api/v1` that viewers may read. */
export function get<T extends object | undefined>(
  path: string,
  about: string,
  answer: Schema<T> | string,
  handle: (request: FastifyRequest, reply: FastifyReply) => Promise<T>,
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

const noFile = new ConsoleError({
  status: 404,
  code: 'FileNotFound',
  detail: 'the record of the run has no such file, or the file is not there',
  hint: 'on another machine, name the folder of the files with --data-dir',
})

/** Whatever a file holds, a browser saves it: it is never a page of the console. */
async function sendAttachment(
  reply: FastifyReply,
  name: string,
  content: Readable,
  bytes: number,
): Promise<void> {
  const shortName = encodeURIComponent(name.split('/').at(-1) ?? name).replaceAll("'", '%27')
  await reply
    .type('application/octet-stream')
    .headers({
      'content-disposition': `attachment; filename*=UTF-8''${shortName}`,
      'content-length': bytes,
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    })
    .send(content)
}

/** A drawing has its own styles, and can do nothing, also where a person opens it alone. */
const ofDrawings = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

function image(path: string, about: string, draw: (request: FastifyRequest) => Promise<string>): Route {
  return get(path, about, svg, async (request, reply) => {
    const drawing = await draw(request)
    await reply.header('content-security-policy', ofDrawings).type(svg).send(drawing)
    return undefined
  })
}

/** A parameter of the address. */
export function part({ params }: FastifyRequest, name: string): string {
  return String((params as Readonly<Record<string, string>>)[name])
}
