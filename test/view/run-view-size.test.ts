import { expect, it } from 'vitest'
import { usualStartMs as startMs } from '../../src/testing/index.ts'
import { createRunView, type ItemRow } from '../../src/view/run/index.ts'
import { loadCase } from '../core/play-case.ts'
import { badFleet } from './large-fleet.ts'

const runbook = `
steps:
  - id: hosts
    for-each: { items: "\${{ range(10) }}", max-parallel: 500, tolerate: all }
    steps: [{ id: look, uses: test/read, with: { of: 1 } }]
  - { id: report, uses: test/read, with: { of: 1 } }
`

function fleetView() {
  const { plan, findings } = loadCase({ name: '', runbook })
  if (!plan) throw new Error(findings.join(', '))
  const live = createRunView({ run_id: 'run_1', runbook: 'test', plan })
  for (const event of badFleet(10_000)) live.take(event)
  return { live, nowMs: startMs + 10_000 * 20 }
}

it('a frame of ten thousand items is smaller than 32 KB, however they fare, and one of what has not changed is small', () => {
  const { live, nowMs } = fleetView()
  const view = live.view(nowMs)
  const loop = view.nodes.find(({ path }) => path === 'hosts')?.loop
  expect(loop).toMatchObject({ done: 9500, failed: 4750, in_flight: 500, waiting: 500, left: 0 })
  expect([loop?.oldest.length, loop?.failures.length]).toEqual([50, 20])
  expect(loop?.failures.reduce((sum, { count }) => sum + count, loop.other_failures ?? 0)).toBe(4750)
  expect(JSON.stringify(view).length).toBeLessThan(32_000)
  expect(live.view(nowMs, live.seq).nodes).toEqual([])
})

it('the items of a loop come by page and filter, each once', () => {
  const { live, nowMs } = fleetView()
  const all: ItemRow[] = []
  for (let after: number | undefined = -1; after !== undefined; ) {
    const page = live.items('hosts', nowMs, { after, limit: 300, status: ['failed', 'waiting'] })
    all.push(...(page?.items ?? []))
    after = page?.next
  }
  expect(all.length).toBe(4750 + 500)
  expect(new Set(all.map(({ index }) => index)).size).toBe(all.length)
  expect(all[0]).toMatchObject({
    path: 'hosts[0]',
    item: 'host-with-a-long-name-0',
    status: 'failed',
    error: { code: 'ExecutionFailed' },
  })
  expect(all.at(-1)).toMatchObject({ index: 9999, status: 'waiting', at: 'look', wait: { reason: 'answer' } })
  expect(live.items('report', nowMs)).toBeUndefined()
  expect(live.items('hosts', nowMs, { after: 9_998, limit: 1 })).toMatchObject({ items: [{ index: 9999 }] })
})

it('of the waits of a step the twenty longest are kept, and the sum of all', () => {
  const { plan } = loadCase({ name: '', runbook })
  if (!plan) throw new Error('no plan')
  const live = createRunView({ run_id: 'run_1', runbook: 'test', plan })
  let seq = 0
  const take = (seconds: number, event: object): void => {
    const at = new Date(startMs + seconds * 1000).toISOString()
    live.take({ seq: ++seq, event: { path: 'report', run_id: 'run_1', at, ...event } } as never)
  }
  take(0, { type: 'step_started', action: 'test/read' })
  for (let count = 1; count <= 300; count++) {
    const until = startMs + count * 1000_000 + count * 1000
    take(count * 1000, { type: 'waiting', reason: 'poll', until })
  }
  take(400_000, { type: 'attempt_started', attempt: 1, action: 'test/read' })
  const node = live.view(startMs + 400_000_000).nodes.find(({ path }) => path === 'report')
  expect(node?.past_waits?.length).toBe(20)
  expect(node?.past_waits?.[0]?.since).toBe(new Date(startMs + 281_000_000).toISOString())
  expect(node?.waited_ms).toEqual({ poll: 1000 * ((300 * 301) / 2) })
})
