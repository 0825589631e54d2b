import type { ComponentType, VNode } from 'preact'
import type { PageName } from '../state.ts'
import { Frame } from './frame.tsx'
import { LoginPage } from './login/login-page.tsx'
import type { StateOf } from './page-state.ts'
import { RunsPage } from './runs/runs-page.tsx'

interface Page<Name extends PageName> {
  readonly title: (state: StateOf<Name>) => string
  readonly Contents: ComponentType<StateOf<Name>>
}

/** A page that shows its documents as they are. */
const plain = (word: string) => ({
  title: () => word,
  Contents: ({ data }: { readonly data: object }): VNode => (
    <>
      <h1>{word}</h1>
      <pre>{JSON.stringify(data, null, 2)}</pre>
    </>
  ),
})

const pages: { readonly [Name in PageName]: Page<Name> } = {
  now: plain('Now'),
  inbox: plain('Inbox'),
  runs: { title: () => 'Runs', Contents: RunsPage },
  run: plain('Run'),
  runbooks: plain('Runbooks'),
  runbook: plain('Runbook'),
  events: plain('Events'),
  schedules: plain('Schedules'),
  system: plain('System'),
  login: { title: () => 'Log in', Contents: LoginPage },
  problem: plain('Problem'),
}

/** A page with its frame, on the server and in the browser. */
export function App({ state }: { readonly state: StateOf<PageName> }): VNode {
  const { Contents } = pages[state.page] as Page<PageName>
  return (
    <Frame state={state}>
      <Contents {...state} />
    </Frame>
  )
}

/** The title of the document of a page. */
export function titleOf(state: StateOf<PageName>): string {
  return `${(pages[state.page] as Page<PageName>).title(state)} · Opsbook`
}
