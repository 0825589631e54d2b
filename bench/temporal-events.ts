/**
 * How long the sender of an event waits for its answer on Temporal, while runs listen to the hook: 500 whose `where`
 * names their run, and 500 that can want any event. Ten events a second come for ten seconds.
 *
 * - the answer that 95 of 100 have, of the 200 ms that a sender may wait: 1 time at most, with either kind;
 * - beside it, the same without a run that listens.
 *
 *     npx tsx bench/temporal-events.ts [RUNS]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { loadRunbook, type Plan } from 'opsbook'
import { actionQueueOf } from '../src/engine/temporal/index.ts'
import { openEventStore } from '../src/engine/temporal/received-events/event-store.ts'
import { runTypeOf } from '../src/engine/temporal/run-listing.ts'
import { openStage } from './temporal/open-stage.ts'
import { verdict } from './verdict.ts'

const runs = Number(process.argv[2] ?? 500)
const events = 100
const betweenMs = 100
const mostMs = 200

const stage = await openStage()
const { client, settings } = stage
const { taskQueue } = settings
const store = openEventStore({ client, taskQueue })

function planFor(where: string): Plan {
  const steps = [{ id: 'wait', uses: 'core/listen', with: { hook: 'ci', where, timeout: '1h' } }]
  const { plan, diagnostics } = loadRunbook(
    JSON.stringify({ apiVersion: 'opsbook/v1', name: 'listens', steps }),
    stage.actions,
  )
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  return plan
}

async function startListening(kind: string, plan: Plan): Promise<void> {
  const begin = async (number: number): Promise<void> => {
    const runId = `bench-${process.pid}-${kind}-${number}`
    const start = { plan, inputs: {}, runId, startedAtMs: Date.now(), startedBy: 'bench' }
    const args = [{ ...start, actionQueue: actionQueueOf(taskQueue) }]
    await client.workflow.start(runTypeOf(plan.name), { workflowId: runId, taskQueue, args })
  }
  for (let number = 0; number < runs; number += 50)
    await Promise.all(Array.from({ length: Math.min(50, runs - number) }, (_, at) => begin(number + at)))
  // All have registered, and have begun to wait.
  await sleep(10_000)
}

/** The answer that 95 of 100 events have, in milliseconds. */
async function measure(kind: string): Promise<number> {
  const taken: number[] = []
  const send = async (number: number): Promise<void> => {
    const startedAt = performance.now()
    const body = { run: 'another', state: 'done', number }
    const event = { hook: 'ci', id: `${kind}-${number}`, type: 'incident', receivedAtMs: Date.now(), body }
    await store.evaluation({ event, candidates: [] })
    taken.push(performance.now() - startedAt)
  }
  const sending: Promise<void>[] = []
  for (let number = 0; number < events; number++) {
    sending.push(send(number))
    await sleep(betweenMs)
  }
  await Promise.all(sending)
  const sorted = taken.sort((one, other) => one - other)
  const found = sorted[Math.floor(0.95 * (events - 1))] ?? Number.NaN
  console.log(
    `${kind}: half of the answers within ${sorted[events / 2]?.toFixed(0)} ms, 95 of 100 within ${found.toFixed(0)} ms`,
  )
  return found
}

await measure('no run listens')
await startListening('named', planFor('${{ event.run == run.id }}'))
verdict(
  `${runs} runs that name themselves, of ${mostMs} ms`,
  (await measure('runs that name themselves')) / mostMs,
  1,
)
await startListening('any', planFor('${{ event.number + 0 < 0 }}'))
verdict(
  `${runs} runs that can want any event, of ${mostMs} ms`,
  (await measure('runs that can want any event')) / mostMs,
  1,
)
await store.close()
await stage.close()
process.exit()
