import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadRunbook } from 'opsbook'
import { expect, it, onTestFinished } from 'vitest'
import { openScheduleTable } from '../../../src/engine/embedded/index.ts'
import { createRunQueue } from '../../../src/engine/embedded/queue/run-queue.ts'
import { recordServing } from '../../../src/engine/embedded/queue/serve-lock.ts'

const text = `apiVersion: opsbook/v1
name: a
steps:
  - { id: hello, uses: core/log, with: { message: hello } }
`

it.each([
  ['of this project', '/here', 1],
  ['of another project', '/elsewhere', 0],
])('a queued run %s is one that a schedule waits for, or not', async (_, project, count) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-scope-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const { plan } = loadRunbook(text, [])
  if (!plan) throw new Error('the runbook does not load')
  const queue = createRunQueue({
    dataDir,
    maxRuns: 1,
    claim: () => new Promise(() => {}),
    whyLeftAlone: ({ scope }) => (scope?.project === '/here' ? undefined : 'it belongs elsewhere'),
    onRefused() {},
  })
  onTestFinished(() => queue.stop(0))
  const store = openScheduleTable({ dataDir, continues: queue.continues, leaves: queue.leaves })
  onTestFinished(store.close)
  store.declare([{ id: 'a', runbook: 'a', trigger: 0, definition: 'each hour' }], 1)
  recordServing(dataDir, { project })
  const startsOne = { fires: [{ atMs: 2 }], evaluatedUntilMs: 2, cancels: [] }
  expect(store.take('a', 2, { work: { plan, inputs: {} }, decide: () => startsOne })?.started).toHaveLength(1)
  queue.start()
  let running: readonly string[] | undefined
  store.take('a', 3, {
    decide(memory) {
      running = memory.running
      return { fires: [], evaluatedUntilMs: 3, cancels: [] }
    },
  })
  expect(running).toHaveLength(count)
})
