import type { FastifyReply } from 'fastify'
import * as documents from '../../documents/index.ts'
import { arrayOf, text, wholeNumber } from '../../documents/index.ts'
import { pageSizes } from '../page-sizes.ts'
import { findSession } from './guard.ts'
import { ConsoleError } from './problem.ts'
import { limit, limitOf, part } from './read-routes.ts'
import type { ConsoleReads } from './reads.ts'
import type { Route } from './route.ts'
import type { Session } from './sessions.ts'
import type { Folds } from './stream/folds.ts'
import type { Pulse } from './stream/pulse.ts'
import { frameText, type JournalPage } from './stream/run-fold.ts'

/** What the streams are made from. */
export interface StreamRouteOptions {
  readonly reads: ConsoleReads
  readonly folds: Folds
  /** Changes of what the first page and the inbox show. */
  readonly pulses: { readonly inbox: Pulse; readonly now: Pulse }
}

const mostStreams = 200
const mostTopics = 10
/** Keeps proxies from closing the connection, and tells the page that its stream is alive. */
const beatMs = 5000
/** A viewer that takes nothing for this many beats is disconnected. */
const mostMissedBeats = 6

/** What changes: the stream, and the folded state of runs that it begins with. */
export function streamRoutes({ reads, folds, pulses }: StreamRouteOptions): readonly Route[] {
  let open = 0
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
        after: wholeNumber,
        limit: limitOf(pageSizes.items),
      },
      answer: documents.itemsSchema,
      async handle(request) {
        const { step = '', ...filter } = request.query as { readonly step?: string }
        const fold = await folds.open(part(request, 'id'))
        const page = fold.view.items(step, Date.now(), filter)
        if (page === undefined)
          throw new ConsoleError({
            status: 404,
            code: 'StepNotFound',
            detail: `the run has no loop at "${step}", or it has not begun`,
            hint: 'step is the path of a node that has a loop',
          })
        return fold.mask(page)
      },
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
      async handle(request, reply) {
        const { topics = '' } = request.query as { readonly topics?: string }
        const names = [...new Set(topics.split(','))]
        const runs = names.flatMap((name) => (name.startsWith('run:') ? [name.slice(4)] : []))
        const others = names.filter((name) => !name.startsWith('run:'))
        if (!others.every((name) => name === 'inbox' || name === 'now') || names.length > mostTopics)
          throw new ConsoleError({
            status: 400,
            code: 'InvalidUsage',
            detail: 'topics are run:ID, inbox and now, with commas between them, at most ten',
          })
        if (open >= mostStreams)
          throw new ConsoleError({ status: 503, code: 'TooManyStreams', detail: 'too many pages are open' })
        // Closed by the viewer at any time, also while the runs are read.
        const { raw } = reply
        const ends: (() => void)[] = [() => open--]
        let isClosed = false
        open++
        raw.once('close', () => {
          isClosed = true
          for (const end of ends) end()
        })
        const opened = await Promise.all(runs.map((id) => folds.open(id)))
        beginStream(reply)
        if (isClosed) return undefined
        const isReady = (): boolean => raw.writableLength === 0
        const send = (text: string): void => void raw.write(text)
        const end = (): void => void raw.end()
        for (const fold of opened)
          ends.push(fold.watch({ seq: undefined, isReady, send: (frames) => send(frames.join('')), end }))
        for (const name of others) {
          // Sent at the beginning, too: what has changed since the page was rendered is not known.
          const sendChange = (): void => send(frameText(name, { at: new Date().toISOString() }))
          ends.push(pulses[name as 'inbox' | 'now'].listen(sendChange))
        }
        const session = findSession(request)
        let missed = 0
        const timer = setInterval(() => {
          missed = isReady() ? 0 : missed + 1
          if (!isOpen(session)) raw.end()
          else if (missed === 0) send(frameText('beat', {}))
          // No queue is kept for a viewer that takes nothing.
          else if (missed >= mostMissedBeats) raw.destroy()
        }, beatMs)
        ends.push(() => clearInterval(timer))
        return undefined
      },
    },
  ]
}

/** A session that cannot be looked up has ended for its streams: the page asks again, and is told why. */
function isOpen(session: Session | undefined): boolean {
  try {
    return session?.isOpen() === true
  } catch {
    return false
  }
}

/** Begins an answer that has no end. */
function beginStream(reply: FastifyReply): void {
  reply.hijack()
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  })
  reply.raw.flushHeaders()
}
