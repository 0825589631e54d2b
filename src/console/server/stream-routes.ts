import type { FastifyRequest } from 'fastify'
import type { JournalPage } from '../../acts/reads/run/index.ts'
import * as documents from '../../documents/index.ts'
import { arrayOf, text, wholeNumber } from '../../documents/index.ts'
import type { ItemPage } from '../../view/run/index.ts'
import { pageSizes } from '../page-sizes.ts'
import { ConsoleError } from './problem.ts'
import { get, limit, limitParameter, part } from './read-routes.ts'
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
    get('/runs/:id/view', 'What a screen shows of a run now.', documents.viewSchema, async (request) => {
      const fold = await folds.open(part(request, 'id'))
      return fold.mask(fold.view.view(Date.now()))
    }),
    get(
      '/runs/:id/journal',
      'The events of a run, as `opsbook logs --output ndjson`, each with its number.',
      documents.journalSchema,
      async (request) => {
        const fold = await folds.open(part(request, 'id'))
        return fold.journal(request.query as JournalPage)
      },
      { after: wholeNumber, limit },
    ),
    get(
      '/runs/:id/items',
      'Items of a loop, by the path of its step, in their order.',
      documents.itemsSchema,
      async (request) => readItems(await folds.open(part(request, 'id')), request),
      {
        step: text,
        status: arrayOf(text),
        text,
        after: wholeNumber,
        limit: limitParameter(pageSizes.items),
      },
    ),
    get('/runs/:id/items/*', 'The steps of one item, by its path.', documents.viewSchema, (request) =>
      reads.item(part(request, 'id'), part(request, '*')),
    ),
    get(
      '/stream',
      'Server-Sent Events of the topics `run:ID`, `inbox` and `now`, with commas between them.',
      'text/event-stream',
      (request, reply) => serveStream(streams, sources, request, reply),
      { topics: text },
    ),
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
