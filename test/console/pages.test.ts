import { expect, it } from 'vitest'
import { renderPage, type StateOf } from '../../src/console/pages/index.ts'
import type { PageName, PageState } from '../../src/console/state.ts'
import { loopOf, runState } from '../browser/console/sample-run.ts'
import { ago } from '../browser/console/sample-states.ts'

const assets = { 'console.js': 'console.js', 'console.css': 'console.css' }

/** The words of a page, as the server renders it. */
function wordsOf(state: StateOf<PageName>): string {
  const document = renderPage(state.page, state as unknown as Omit<PageState, 'page'>, assets)
  const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(document) ?? []
  return main.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
}

/** The page of a run whose process ended 100 seconds ago, 39 seconds after its start. */
function interruptedState(tab = 'steps'): StateOf<'run'> {
  const state = runState(tab)
  const { view } = state.data
  const nodes = view.nodes.map((node) =>
    node.path === 'checks'
      ? { ...node, status: 'interrupted' as const, loop: { ...loopOf(100), in_flight: 0, interrupted: 20 } }
      : node,
  )
  const head = { ...view.head, status: 'interrupted', ended_at: ago(100) } as const
  return { ...state, data: { ...state.data, view: { ...view, head, nodes } } }
}

it('of a run that no process executes, the time until its last event is shown, and nothing that rises', () => {
  const words = wordsOf(interruptedState())
  expect(words).toContain('Took 39s')
  expect(words).not.toContain('Running for')
  expect(words).toMatch(/20 interrupted .* interrupted 1m ago (?!1m)/)
  expect(words).not.toContain('in flight')
})

it('a batch with failures that were tolerated says how many of its items failed', () => {
  const state = runState('steps')
  const { view } = state.data
  const nodes = view.nodes.map((node) =>
    node.path === 'prepare/probe' ? { ...node, failed_items: { total: 20, failed: 5 } } : node,
  )
  const words = wordsOf({ ...state, data: { ...state.data, view: { ...view, nodes } } })
  expect(words).toContain('5 of 20 items failed succeeded')
})
