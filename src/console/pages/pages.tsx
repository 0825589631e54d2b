import type { ComponentType, VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { showInvisible } from '../../core/text/index.ts'
import { ShownState } from './acts/shown-state.ts'
import { EventPage, EventsPage } from './automatic/events-page.tsx'
import { SchedulesPage } from './automatic/schedules-page.tsx'
import { DecidePage } from './decide/decide-page.tsx'
import { PageFrame } from './frame.tsx'
import { InboxPage } from './inbox/inbox-page.tsx'
import { LoginPage } from './login/login-page.tsx'
import { NowPage } from './now/now-page.tsx'
import type { PageName, StateOf } from './page-state.ts'
import { showInvisibleTexts } from './parts/visible-text.ts'
import { ResumePage } from './resume/resume-page.tsx'
import { RunPage } from './run/run-page.tsx'
import { RunbookPage } from './runbooks/runbook-page.tsx'
import { RunbooksPage } from './runbooks/runbooks-page.tsx'
import { RunsPage } from './runs/runs-page.tsx'
import { StartPage } from './start/start-page.tsx'
import { ProblemPage } from './system/problem-page.tsx'
import { SystemPage } from './system/system-page.tsx'

showInvisibleTexts()

interface Page<Name extends PageName> {
  readonly title: (state: StateOf<Name>) => string
  readonly Contents: ComponentType<StateOf<Name>>
}

const pages: { readonly [Name in PageName]: Page<Name> } = {
  now: { title: () => 'Now', Contents: NowPage },
  inbox: { title: () => 'Inbox', Contents: InboxPage },
  runs: { title: () => 'Runs', Contents: RunsPage },
  run: {
    title: ({ data: { view } }) => `${view.head.title ?? view.head.runbook}: ${view.head.status}`,
    Contents: RunPage,
  },
  resume: {
    title: ({ data: { run } }) => `Resume ${run.title ?? run.runbook}`,
    Contents: ResumePage,
  },
  decide: { title: ({ data: { outcome } }) => `Resolve ${outcome.path}`, Contents: DecidePage },
  runbooks: { title: () => 'Runbooks', Contents: RunbooksPage },
  runbook: { title: ({ data }) => data.runbook.title ?? data.runbook.name, Contents: RunbookPage },
  start: {
    title: ({ data: { runbook } }) =>
      `Start ${runbook.title === undefined ? runbook.name : `"${runbook.title}"`}`,
    Contents: StartPage,
  },
  events: { title: () => 'Events', Contents: EventsPage },
  event: { title: ({ data: { event } }) => `Event ${event.event_id}`, Contents: EventPage },
  schedules: { title: () => 'Schedules', Contents: SchedulesPage },
  system: { title: () => 'System', Contents: SystemPage },
  login: { title: () => 'Log in', Contents: LoginPage },
  problem: { title: ({ data }) => data.problem.title ?? data.problem.code, Contents: ProblemPage },
}

/**
 * A page with its frame, on the server and in the browser. There it says `data-ready` at its root once it takes keys and
 * clicks, and follows what it shows.
 */
export function App({ state }: { readonly state: StateOf<PageName> }): VNode {
  const { Contents } = pages[state.page] as Page<PageName>
  // The effects of its parts have run before that of the whole.
  useEffect(() => {
    document.documentElement.dataset['ready'] = 'true'
  }, [])
  return (
    <ShownState.Provider value={state}>
      <PageFrame state={state}>
        <Contents {...state} />
      </PageFrame>
    </ShownState.Provider>
  )
}

/** The title of the document of a page. */
export function titleOf(state: StateOf<PageName>): string {
  return showInvisible(`${(pages[state.page] as Page<PageName>).title(state)} · Opsbook`)
}
