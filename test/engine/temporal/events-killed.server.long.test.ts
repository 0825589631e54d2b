import { expect, it, onTestFinished } from 'vitest'
import { RunbookError } from '../../../src/core/run-error.ts'
import type { EventEvaluation, EventRecord } from '../../../src/core/triggers/index.ts'
import { connectClient } from '../../../src/engine/temporal/connection.ts'
import { openEventStore } from '../../../src/engine/temporal/received-events/event-store.ts'
import { forkProgram, killProcess } from './support/fork-program.ts'
import { stageOfFile } from './support/stage-of-file.ts'

const stage = stageOfFile()

/** Three senders take turns; 30 of the events come twice. */
const events = 300
const repeats = 30

it('starts one run for each of 300 events, however often their worker is killed, and answers a repetition with it', async () => {
  const taskQueue = `events-killed-${process.pid}`
  const { settings, sandboxUrl, dataDir } = stage
  const open = () => forkProgram('worker-process', [settings.address, taskQueue, sandboxUrl, dataDir])
  let worker = await open()
  onTestFinished(() => killProcess(worker))
  const stores = await Promise.all(
    [0, 1, 2].map(async () => openEventStore({ client: await connectClient(settings), taskQueue })),
  )
  const plan = stage.compile({
    name: 'killed-events',
    steps: [{ id: 'set', uses: 'core/set', with: { a: 1 } }],
  })
  const evaluation = (id: string): EventEvaluation => ({
    event: { hook: 'incidents', id, type: 'incident', receivedAtMs: Date.now(), body: {} },
    candidates: [
      { runbook: plan.name, trigger: 0, plan, inputs: {}, maxStarts: { count: 10_000, perMs: 600_000 } },
    ],
  })
  /** A sender that has no answer sends the event again, as systems do that are answered with 503. */
  const send = async (id: string, at: number): Promise<EventRecord> => {
    for (;;) {
      try {
        return await (stores[at % 3] as (typeof stores)[0]).evaluation(evaluation(id))
      } catch (thrown) {
        if (!RunbookError.is(thrown) || !['NoWorker', 'TemporalUnavailable'].includes(thrown.code))
          throw thrown
      }
    }
  }
  const runOf = new Map<string, string | undefined>()
  let sent = 0
  const lane = async (): Promise<void> => {
    while (sent < events) {
      const at = sent++
      const id = `event-${at}`
      const { starts } = await send(id, at)
      runOf.set(id, starts[0]?.run_id)
    }
  }
  const killing = (async () => {
    for (const most of [60, 120, 180, 240]) {
      await expect.poll(() => runOf.size, { timeout: 120_000 }).toBeGreaterThanOrEqual(most)
      await killProcess(worker)
      worker = await open()
    }
  })()
  await Promise.all([...Array.from({ length: 6 }, lane), killing])
  for (let at = 0; at < repeats; at++) {
    const id = `event-${at * 10}`
    expect((await send(id, at)).starts[0]?.run_id).toBe(runOf.get(id))
  }
  expect(new Set(runOf.values()).size).toBe(events)
  const count = async (status: string): Promise<number> =>
    (
      await stage.client.workflow.count(
        `TaskQueue = '${taskQueue}' AND WorkflowType = 'runbook/${plan.name}' AND ExecutionStatus = '${status}'`,
      )
    ).count
  await expect.poll(() => count('Completed'), { timeout: 120_000 }).toBe(events)
  expect(await count('Running')).toBe(0)
  await Promise.all(stores.map((store) => store.close()))
}, 400_000)
