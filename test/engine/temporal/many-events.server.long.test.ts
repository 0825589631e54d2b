import { expect, inject, it, onTestFinished } from 'vitest'
import type { EventEvaluation } from '../../../src/core/triggers/event-evaluation.ts'
import { connectClient } from '../../../src/engine/temporal/connection.ts'
import { openEventStore } from '../../../src/engine/temporal/received-events/event-store.ts'
import { openStage } from './support/open-stage.ts'

it('keeps what it knows, within bounds, when thousands of events come', async () => {
  const stage = await openStage(inject('temporalAddress'))
  onTestFinished(() => stage.close())
  const client = await connectClient(stage.settings)
  const book = openEventStore({ client, taskQueue: stage.taskQueue })
  onTestFinished(() => book.close())
  const plan = stage.compile({ name: 'started', steps: [{ id: 'set', uses: 'core/set', with: { a: 1 } }] })
  const event = (id: string) => ({
    hook: 'incidents',
    id,
    type: 'incident',
    receivedAtMs: Date.now(),
    body: { text: 'x'.repeat(300) },
  })
  const quiet = (id: string): EventEvaluation => ({
    event: event(id),
    candidates: [
      { runbook: plan.name, trigger: 0, because: 'where_false', message: 'its condition is false' },
    ],
  })
  const maxStarts = { count: 1000, perMs: 600_000 }
  const matched = (id: string): EventEvaluation => ({
    event: event(id),
    candidates: [{ runbook: plan.name, trigger: 0, plan, inputs: {}, maxStarts, dedupeKey: 'kept' }],
  })
  const first = await book.evaluation(matched('before'))
  const lock = stage.client.workflow.getHandle(`opsbook-events/${stage.taskQueue}`)
  const { runId: executionBefore } = await lock.describe()
  for (let sent = 0; sent < 5000; sent += 100)
    await Promise.all(Array.from({ length: 100 }, (_, n) => book.evaluation(quiet(`many-${sent + n}`))))
  // After 1,000 updates it continues as a new execution; a workflow takes ten at a time.
  const lane = async (): Promise<void> => {
    for (let updates = 0; updates < 150; updates++) await book.notifyMissed([])
  }
  await Promise.all(Array.from({ length: 8 }, lane))
  const { historyLength, runId } = await lock.describe()
  expect(historyLength).toBeLessThan(5000)
  expect(runId).not.toBe(executionBefore)
  const listed = await book.listEvents({ limit: 10_000 })
  expect(listed[0]?.event_id).toBe('many-4999')
  expect(listed.length).toBeGreaterThanOrEqual(2000)
  expect(listed.length).toBeLessThan(4100)
  expect(await book.evaluation(matched('after'))).toMatchObject({
    starts: [{ because: 'duplicate', run_id: first.starts[0]?.run_id }],
  })
}, 120_000)
