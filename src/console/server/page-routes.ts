import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventsQuery } from '../../acts/reads/events/index.ts'
import type { RunsSelection } from '../../acts/reads/runs/index.ts'
import { arrayOf, type Outcome, type Run, type Schedules, text, wholeNumber } from '../../documents/index.ts'
import type { ItemFilter } from '../../view/run/index.ts'
import { pageSizes } from '../page-sizes.ts'
import { type PageData, type PageName, renderPage, type ShownRun } from '../pages/index.ts'
import type { PageState } from '../state.ts'
import { assetNames } from './assets.ts'
import { findSession } from './guard.ts'
import { ConsoleError } from './problem.ts'
import { eventsParameters, part, runsQuery } from './read-routes.ts'
import type { ConsoleReads } from './reads.ts'
import { remember } from './remember.ts'
import type { Route } from './route.ts'
import { sessionsDocument } from './session-routes.ts'
import type { Sessions } from './sessions.ts'
import type { Folds } from './stream/folds.ts'
import type { RunFold } from './stream/run-fold.ts'

/** What the pages are made from. */
export interface PageOptions {
  readonly reads: ConsoleReads
  readonly folds: Folds
  readonly sessions: Sessions
  /** Nobody can act. */
  readonly isReadOnly: boolean
  readonly about: NonNullable<PageState['about']>
}

/** The pages that need a session. */
export type ShownPage = Exclude<PageName, 'login' | 'problem'>

/** The pages, for the routes that show them. */
export interface Pages {
  /** Answers with a page in its newest state. `more` takes precedence, such as what was refused. */
  send(
    name: ShownPage,
    request: FastifyRequest,
    reply: FastifyReply,
    more?: Partial<PageState>,
  ): Promise<undefined>
  /** What pages show of the person and the console, for a page that reads nothing. */
  frame(request: FastifyRequest): Promise<Partial<PageState>>
  /** A person has acted: what was remembered for the pages is read again. */
  forget(): void
}

/** How long the number of the inbox is remembered, in milliseconds. */
const countMs = 2000

/** Prepares the pages. Each is a document that holds its first state. */
export function createPages({ reads, folds, sessions, isReadOnly, about }: PageOptions): Pages {
  const inbox = remember(() => reads.inbox({ limit: pageSizes.inbox }), countMs)
  const countWaiting = async (): Promise<Pick<PageState, 'waiting'>> => {
    const { waiting } = await inbox.read()
    return { waiting: waiting.length }
  }
  const frame: Pages['frame'] = async (request) => {
    const session = findSession(request)
    // A stranger is told nothing of the console.
    if (session === undefined) return {}
    const { by, roles, csrf } = session
    return {
      user: { name: by.name, roles },
      ...(csrf === undefined ? {} : { csrf }),
      ...(isReadOnly ? { is_read_only: true } : {}),
      about,
      // A page of something else is shown also where the inbox cannot be read.
      ...(await countWaiting().catch(() => ({}))),
    }
  }
  return {
    frame,
    forget: inbox.forget,
    async send(name, request, reply, more = {}) {
      const data = await contents[name](request, reads, folds, sessions)
      return sendPage(reply, {
        ...emptyState(name, request),
        ...(await frame(request)),
        ...more,
        data: { ...data, ...more.data },
      })
    },
  }
}

/** What each page shows. */
const contents: {
  readonly [Name in ShownPage]: (
    request: FastifyRequest,
    reads: ConsoleReads,
    folds: Folds,
    sessions: Sessions,
  ) => Promise<PageData[Name]>
} = {
  now: async (_, reads) => ({
    runs: await reads.runs({ limit: pageSizes.runs }),
    inbox: await reads.inbox({ limit: 20 }),
    schedules: await reads.schedules(),
    limits: await reads.limits(),
    own_runbooks: await reads.runbookNames(),
  }),
  inbox: async (_, reads) => ({ inbox: await reads.inbox({ limit: pageSizes.inbox }) }),
  async runs({ query }, reads) {
    // A form sends its empty fields, too.
    const given = Object.entries(query as RunsSelection).filter(([, value]) => String(value) !== '')
    return { runs: await reads.runs(Object.fromEntries(given) as unknown as RunsSelection) }
  },
  async run(request, reads, folds) {
    const id = part(request, 'id')
    const fold = await folds.open(id)
    const { tab: name } = request.query as { readonly tab?: string }
    const [run, inbox] = await Promise.all([reads.run(id, { isWithoutSteps: true }), reads.waiting(id)])
    const tab = await readTab(request, fold, reads)
    return {
      run: name === 'data' ? run : withoutData(run),
      own_runbooks: await reads.runbookNames(),
      inbox,
      view: fold.mask(fold.view.view(Date.now())),
      ...tab,
    }
  },
  async resume(request, reads) {
    const id = part(request, 'id')
    const [run, compared, inbox] = await Promise.all([reads.run(id), reads.comparison(id), reads.waiting(id)])
    return { run, compared, inbox }
  },
  async decide(request, reads) {
    const id = part(request, 'id')
    const [run, outcome] = await Promise.all([reads.run(id), findOutcome(reads, id, part(request, '*'))])
    if (outcome === undefined)
      throw new ConsoleError({
        status: 404,
        code: 'NotFound',
        detail: 'no call of the run at this path has an unknown outcome: it was never so, or it is resolved',
        hint: `"opsbook show ${id}" shows who has decided what`,
      })
    return { run, outcome }
  },
  async runbooks(_, reads) {
    const [runbooks, schedules] = await Promise.all([reads.runbooks(), readSchedules(reads)])
    const last = await Promise.all(
      runbooks.runbooks.map(({ name }) => reads.runs({ runbook: name, limit: 1 }).catch(() => undefined)),
    )
    return { runbooks, last: last.flatMap((list) => list?.runs ?? []), ...schedules }
  },
  async runbook(request, reads) {
    const runbook = await reads.runbook(part(request, 'name'))
    const [runs, schedules] = await Promise.all([
      reads.runs({ runbook: runbook.name, limit: 20 }),
      readSchedules(reads),
    ])
    return { runbook, runs, ...schedules }
  },
  start: async (request, reads) => ({ runbook: await reads.runbook(part(request, 'name')) }),
  async events({ query: given }, reads) {
    const query = given as EventsQuery
    const [events, refused] = await Promise.all([
      reads.events(query),
      reads.refused({ ...query, limit: pageSizes.refused }),
    ])
    return { events, refused }
  },
  async event(request, reads) {
    const event = await reads.event(part(request, '*'))
    const ids = event.starts.flatMap(({ run_id, because }) =>
      run_id === undefined || because !== undefined ? [] : [run_id],
    )
    // A run can be removed before the event that started it.
    const runs = ids.map((id) => reads.run(id, { isWithoutSteps: true }).catch(() => undefined))
    const found = (await Promise.all(runs)).filter((run) => run !== undefined)
    return { event, started: found.map(({ run_id, runbook, inputs }) => ({ run_id, runbook, inputs })) }
  },
  schedules: async (_, reads) => ({
    schedules: await reads.schedules(),
    own_runbooks: await reads.runbookNames(),
  }),
  async system(request, reads, _, sessions) {
    const system = await reads.system()
    if (findSession(request)?.roles.includes('admin') !== true) return { system }
    const page = await reads.audit?.({ limit: 20 })
    return { system, ...sessionsDocument(sessions, request), ...(page && { audit: page.audit }) }
  },
}

/** Which schedules are paused. A page of runbooks is shown also where that cannot be read. */
async function readSchedules(reads: ConsoleReads): Promise<{ readonly schedules?: Schedules }> {
  return reads.schedules().then(
    (schedules) => ({ schedules }),
    () => ({}),
  )
}

/** A run without what it was given and has made: with 10,000 items that can be megabytes. */
function withoutData({ inputs, outputs, questions, artifacts, warnings, steps, ...run }: Run): ShownRun {
  return run
}

/** The call with an unknown outcome at a path. */
export async function findOutcome(
  reads: ConsoleReads,
  id: string,
  path: string,
): Promise<Outcome | undefined> {
  const { outcomes } = await reads.outcomes(id)
  return outcomes.find((one) => one.path === path)
}

/** The addresses of the pages. */
export function pageRoutes(pages: Pages): readonly Route[] {
  const page = (name: ShownPage, path: string, query?: Route['query']): Route => ({
    method: 'GET',
    path,
    access: 'viewer',
    ...(query === undefined ? {} : { query }),
    handle: (request, reply) => pages.send(name, request, reply),
  })
  return [
    page('now', '/'),
    page('inbox', '/inbox'),
    page('runs', '/runs', runsQuery),
    page('run', '/runs/:id', runQuery),
    page('resume', '/runs/:id/resume'),
    page('decide', '/runs/:id/decide/*'),
    page('runbooks', '/runbooks'),
    page('runbook', '/runbooks/:name'),
    page('start', '/runbooks/:name/start'),
    page('events', '/events', eventsParameters),
    page('event', '/events/*'),
    page('schedules', '/schedules'),
    page('system', '/system'),
  ]
}

/** The parts of the page of a run, and which items it shows. */
const runQuery: Route['query'] = {
  tab: text,
  step: text,
  status: arrayOf(text),
  text,
  item: wholeNumber,
  after: wholeNumber,
}

/** What one part of the page of a run shows besides. */
async function readTab(
  request: FastifyRequest,
  fold: RunFold,
  reads: ConsoleReads,
): Promise<Pick<PageData['run'], 'step' | 'journal' | 'files' | 'items' | 'graph'>> {
  const { tab, step, ...filter } = request.query as {
    readonly tab?: string
    readonly step?: string
  } & ItemFilter
  const id = part(request, 'id')
  if (tab === 'step' && step !== undefined) {
    const { after = 0 } = filter
    return { step: await reads.step(id, step, { after, limit: pageSizes.attempts }) }
  }
  if (tab === 'journal') {
    const { after = 0 } = filter
    return { journal: await fold.journal({ limit: pageSizes.journal, after }) }
  }
  if (tab === 'graph') return { graph: await reads.stepPlaces(id) }
  if (tab === 'data') return { files: await reads.files(id) }
  const view = fold.view.view(Date.now())
  const path = step ?? view.nodes.find(({ loop }) => loop !== undefined)?.path
  if (tab !== 'items' || path === undefined) return {}
  const items = fold.view.items(path, Date.now(), filter)
  return items === undefined ? {} : { items: fold.mask(items) }
}

/** The state of a page that shows nothing yet. */
export function emptyState(page: PageName, { url }: FastifyRequest): PageState {
  return { page, path: url, at: new Date().toISOString(), data: {} }
}

/** Answers with a page. */
export async function sendPage(reply: FastifyReply, state: PageState): Promise<undefined> {
  await reply.type('text/html; charset=utf-8').send(renderPage(state, assetNames()))
  return undefined
}
