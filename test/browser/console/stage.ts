import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { buildPages } from '../../../scripts/build-pages.mjs'
import { openBrowser } from '../open-browser.ts'
import { itemsFrom, runState, viewOf } from './sample-run.ts'
import { samples } from './sample-states.ts'
import { type StandIn, startStandIn } from './stand-in.ts'

/** A browser, and a server with every page. */
export interface Stage {
  readonly browser: Browser
  readonly server: StandIn
  close(): Promise<void>
}

/** Builds the pages, serves a sample of each, and starts a browser. */
export async function openStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'opsbook-pages-'))
  await buildPages(folder)
  const [browser, server] = await Promise.all([openBrowser(), startStandIn(folder)])
  for (const [path, state] of Object.entries(samples)) server.pages.set(path, () => state)
  for (const tab of ['steps', 'step', 'time', 'items', 'journal', 'data', 'graph'])
    server.pages.set(`/runs/x/${tab}`, () => runState(tab))
  const api = `/api/v1/runs/${viewOf(1).run_id}`
  server.documents.set(`${api}/items`, () => ({ items: itemsFrom(-1, 100), next: 99 }))
  server.documents.set(`${api}/journal`, () => ({ events: [] }))
  return {
    browser,
    server,
    async close() {
      await browser.close()
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The address of each page, and a text that it shows. */
export const addresses: readonly (readonly [address: string, text: string])[] = [
  ['/runs', 'rotate-token'],
  ['/', 'Failed in the last day'],
  ['/inbox', 'Publish the post-mortem'],
  ['/inbox/asked', 'Reject all 12'],
  ['/runbooks', 'cannot be loaded'],
  ['/runbooks/rotate-token', 'Europe/Berlin'],
  ['/runbooks/old-check', '16:19'],
  ['/runbooks/rotate-token/start', 'Show the plan'],
  ['/runbooks/rotate-token/planned', 'Start this plan'],
  ['/runs/x/resume', 'Update preview'],
  ['/runs/x/decide', 'Look in the target system'],
  ['/events', 'where false'],
  ['/events/pager/evt_81', 'Checkout is slow'],
  ['/schedules', 'missed'],
  ['/system', 'Set the clock'],
  ['/runs/x/step', 'connect 127.0.0.1: refused'],
  ['/runs/x/steps', 'limited by 600 calls a minute'],
  ['/runs/x/time', 'target lock'],
  ['/runs/x/items', 'target_unavailable'],
  ['/runs/x/journal', 'the agent is busy'],
  ['/runs/x/data', 'hosts.json'],
  ['/runs/x/graph', 'Graph'],
  ['/login', 'Open the console'],
  ['/problem', 'RunNotFound'],
]
