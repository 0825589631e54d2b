import type { FastifyRequest } from 'fastify'
import type { JournalPage } from '../../acts/reads/run/index.ts'
import * as documents from '../../documents/index.ts'
import { arrayOf, text, wholeNumber } from '../../documents/index.ts'
import type { ItemPage } from '../../view/run/index.ts'
import { pageSizes } from '../page-sizes.ts'
import { ConsoleError } from './problem.ts'
import { limit, limitParameter, part } from './read-routes.ts'
import type { ConsoleReads } from './reads.ts'
import type { Route } from './route.ts'
import type { RunFold } from './stream/run-fold.ts'
import { type OpenStreams, type StreamSources, serveStream } from './stream/serve-stream.ts'

/** What the streams and the states that they begin with are made from. */
export interface StreamRouteOptions extends StreamSources {
  readonly reads: ConsoleReads
}

/** What changes: the stream, and the folded state of runs that it begins with. */
export function streamRoutes({ reads, ...sources }: StreamRouteOptions): readonly Route[] {
  const { folds } = sources
  const streams: OpenStreams = { count: 0 }
  return [
    {
      method: 'GET',
      path: '/api/v1/runs/:id/view',
      access: 'viewer',
      about: 'What a screen shows of a run now.',
      answer: documents.viewSchema,
      async handle(request) {
        const fold = await folds.open(part(request, 'id'))
        return fold.mask(fold.view.view(Date.now()))
      },
    },
    {
      method: 'GET',
      path: '/api/v1/runs/:id/journal',
      access: 'viewer',
      about: 'The events of a run, as `opsbook logs --output ndjson`, each with its number.',
      query: { after: wholeNumber, limit },
      answer: documents.journalSchema,
      async handle(request) {
        const fold = await folds.open(part(request, 'id'))
        return fold.journal(request.query as JournalPage)
      },
    },
    {
      method: 'GET',
      path: '/api/v1/runs/:id/items',
      access: 'viewer',
      about: 'Items of a loop, by the path of its step, in their order.',
      query: {
        step: text,
        status: arrayOf(text),
        text,
        after: wholeNumber,
        limit: limitParameter(pageSizes.items),
      },
      answer: documents.itemsSchema,
      handle: async (request) => readItems(await folds.open(part(request, 'id')), request),
    },
    {
      method: 'GET',
      path: '/api/v1/runs/:id/items/*',
      access: 'viewer',
      about: 'The steps of one item, by its path.',
      answer: documents.viewSchema,
      handle: (request) => reads.item(part(request, 'id'), part(request, '*')),
    },
    {
      method: 'GET',
      path: '/api/v1/stream',
      access: 'viewer',
      about: 'Server-Sent Events of the topics `run:ID`, `inbox` and `now`, with commas between them.',
      query: { topics: text },
      answer: 'text/event-stream',
      handle: (request, reply) => serveStream(streams, sources, request, reply),
    },
  ]
}

function readItems({ view, mask }: RunFold, { query }: FastifyRequest): ItemPage {
  const { step = '', ...filter } = query as { readonly step?: string }
  const page = view.items(step, Date.now(), filter)
  if (page !== undefined) return mask(page)
  throw new ConsoleError({
    status: 404,
    code: 'StepNotFound',
    detail: `the run has no loop at "${step}", or it has not begun`,
    hint: 'step is the path of a node that has a loop',
  })
}
