import type { FastifyReply, FastifyRequest } from 'fastify'
import type { JsonObject } from '../../core/json.ts'
import { renderPage } from '../pages/index.ts'
import type { PageName, PageState } from '../state.ts'
import { assetNames } from './assets.ts'
import { requireSession } from './guard.ts'
import type { ConsoleReads } from './reads.ts'
import type { Route } from './route.ts'

/** What all pages show alike. */
export interface PageOptions {
  readonly isReadOnly: boolean
}

/** The addresses of the pages. Each is a document that holds its first state. */
export function pageRoutes(reads: ConsoleReads, options: PageOptions): readonly Route[] {
  const page = (
    name: PageName,
    path: string,
    read: (request: FastifyRequest) => Promise<JsonObject>,
  ): Route => ({
    method: 'GET',
    path,
    access: 'viewer',
    async handle(request, reply) {
      const { by, roles, csrf } = requireSession(request)
      const state: PageState = {
        ...emptyState(name, request),
        user: { name: by.name, roles },
        csrf,
        ...(options.isReadOnly ? { is_read_only: true } : {}),
        data: await read(request),
      }
      return sendPage(reply, state)
    },
  })
  return [
    page('now', '/', async () => ({ runs: await reads.runs({ limit: 20 }) })),
    page('runs', '/runs', async ({ query }) => ({
      runs: await reads.runs({ limit: 50, ...(query as object) }),
    })),
    page('run', '/runs/:id', async ({ params }) => {
      const { id } = params as { readonly id: string }
      return { run: await reads.run(id), view: await reads.view(id) }
    }),
  ]
}

/** The state of a page that shows nothing yet. */
export function emptyState(page: PageName, { url }: FastifyRequest): PageState {
  return { page, path: url, at: new Date().toISOString(), data: {} }
}

/** Answers with a page. */
export async function sendPage(reply: FastifyReply, state: PageState): Promise<undefined> {
  await reply.type('text/html; charset=utf-8').send(renderPage(state.page, state, assetNames()))
  return undefined
}
