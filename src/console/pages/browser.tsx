import { hydrate } from 'preact'
import type { PageName, StateOf } from './page-state.ts'
import { App } from './pages.tsx'
import { startClock } from './parts/clock.ts'

const state = document.getElementById('state')
const app = document.getElementById('app')
if (state !== null && app !== null) {
  const first = JSON.parse(state.textContent ?? '') as StateOf<PageName>
  // The answer to a form: to load the page again must not send the form again.
  const here = location.pathname + location.search
  if (first.refused !== undefined || first.path !== here) history.replaceState(null, '', first.path)
  startClock(first.at)
  hydrate(<App state={first} />, app)
}
