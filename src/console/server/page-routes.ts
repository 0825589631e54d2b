import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ItemRow } from '../../view/run/index.ts'
import { renderPage } from '../pages/index.ts'
import type { PageName, PageState } from '../state.ts'
import { assetNames } from './assets.ts'
import { findSession } from './guard.ts'
import { eventsQuery, part, runsQuery } from './read-routes.ts'
import type { ConsoleReads, EventsQuery, RunsQuery } from './reads.ts'
import type { Route } from './route.ts'
import { count, list, text } from './schemas/build.ts'
import type { Folders } from './stream/folders.ts'
import type { RunFolder } from './stream/run-folder.ts'

/** What all pages show alike. */
export interface PageOptions {
  readonly isReadOnly: boolean
  readonly about: NonNullable<PageState['about']>
}

/** The addresses of the pages. Each is a document that holds its first state. */
export function pageRoutes(reads: ConsoleReads, folders: Folders, options: PageOptions): readonly Route[] {
  const page = (
    name: PageName,
    path: string,
    read: (request: FastifyRequest) => Promise<Readonly<Record<string, object>>>,
    query?: Route['query'],
  ): Route => ({
    method: 'GET',
    path,
    access: 'viewer',
    ...(query === undefined ? {} : { query }),
    async handle(request, reply) {
      const { isReadOnly, about } = options
      const state: PageState = {
        ...emptyState(name, request),
        ...stateOfSession(request),
        ...(isReadOnly ? { is_read_only: true } : {}),
        about,
        data: await read(request),
      }
      return sendPage(reply, state)
    },
  })
  return [
    page('now', '/', async () => ({
      runs: await reads.runs({ limit: 100 }),
      inbox: await reads.inbox({ limit: 20 }),
      schedules: await reads.schedules(),
    })),
    page('inbox', '/inbox', async () => ({ inbox: await reads.inbox({ limit: 200 }) })),
    page('runs', '/runs', async ({ query }) => ({ runs: await reads.runs(query as RunsQuery) }), runsQuery),
    page(
      'run',
      '/runs/:id',
      async (request) => {
        const id = part(request, 'id')
        const folder = await folders.open(id)
        const run = await reads.run(id)
        const tab = await readTab(request, folder, reads)
        return { run, view: folder.mask(folder.view.view(Date.now())), ...tab }
      },
      runQuery,
    ),
    page('runbooks', '/runbooks', async () => ({ runbooks: await reads.runbooks() })),
    page('runbook', '/runbooks/:name', async (request) => {
      const runbook = await reads.runbook(part(request, 'name'))
      const { name } = runbook as { readonly name: string }
      return { runbook, runs: await reads.runs({ runbook: name, limit: 20 }) }
    }),
    page(
      'events',
      '/events',
      async ({ query }) => ({ events: await reads.events(query as EventsQuery) }),
      eventsQuery,
    ),
    page('schedules', '/schedules', async () => ({ schedules: await reads.schedules() })),
    page('system', '/system', async () => ({ system: await reads.system() })),
  ]
}

/** The parts of the page of a run, and which items it shows. */
const runQuery: Route['query'] = { tab: text, step: text, status: list(text), item: count }

/** What one part of the page of a run shows besides. */
async function readTab(
  request: FastifyRequest,
  folder: RunFolder,
  reads: ConsoleReads,
): Promise<Readonly<Record<string, object>>> {
  const { tab, step, status } = request.query as {
    readonly tab?: string
    readonly step?: string
    readonly status?: readonly ItemRow['status'][]
  }
  const id = part(request, 'id')
  if (tab === 'journal') return { journal: await folder.journal({ limit: 200 }) }
  // The waits of the past are in no node.
  if (tab === 'time') return { journal: await folder.journal({ limit: 1000 }) }
  if (tab === 'data') return { files: await reads.files(id) }
  const view = folder.view.view(Date.now())
  const path = step ?? view.nodes.find(({ loop }) => loop !== undefined)?.path
  if (tab !== 'items' || path === undefined) return {}
  const items = folder.view.items(path, Date.now(), status === undefined ? {} : { status })
  return items === undefined ? {} : { items: folder.mask(items) }
}

/** What the state of every page holds of the person. */
export function stateOfSession(request: FastifyRequest): Pick<PageState, 'user' | 'csrf'> {
  const session = findSession(request)
  if (session === undefined) return {}
  const { by, roles, csrf } = session
  return { user: { name: by.name, roles }, csrf }
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
