/**
 * What a loop of 10,000 items costs on Temporal, 20 at a time, and what it costs to look at it.
 *
 * - The loop against a workflow written by hand that calls the same activity on the same workers, in turns, on one
 *   server: 1.15 times at most. Both continue as new before their history is too long.
 * - `readRunState`, `readRun` and `readEvents` with a new client each time, while the run is open and after it ended, and
 *   a list of runs by status: 2 s at most each.
 *
 *     npx tsx bench/temporal-items.ts [ITEMS] [ROUNDS]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../src/engine/engine.ts'
import { beginRun } from '../src/engine/temporal/client/start-run.ts'
import { openTemporalEngine } from '../src/engine/temporal/client/temporal-engine.ts'
import { connectClient } from '../src/engine/temporal/index.ts'
import { measure, median, openStage, type Taken } from './temporal/open-stage.ts'
import { verdict } from './verdict.ts'

const items = Number(process.argv[2] ?? 10_000)
const rounds = Number(process.argv[3] ?? 1)
const parallel = 20
const timeLimit = 1.15
const lookLimitMs = 2000
const shortRuns = 100
const warmUp = 1000

const stage = await openStage()
const { client, dataDir, actions, settings } = stage
const { taskQueue } = settings
const plan = stage.planFor(parallel)
let count = 0

async function startOurs(size: number): Promise<string> {
  const inputs = { items: Array.from({ length: size }, (_, index) => index) }
  // Nobody follows it.
  return (await beginRun({ client, taskQueue, dataDir, plan, inputs, key: `bench-${++count}` })).runId
}

async function runOurs(size: number): Promise<string> {
  const runId = await startOurs(size)
  await client.workflow.getHandle(runId).result()
  return runId
}

async function runByHand(size: number): Promise<string> {
  const workflowId = `by-hand-${++count}`
  await stage.runByHand('handWrittenItems', workflowId, size, parallel)
  return workflowId
}

/** What all executions of a workflow have left on the server, for each item. */
async function historyOf(workflowId: string): Promise<string> {
  let [executions, events, bytes] = [0, 0, 0]
  for await (const { historyLength, historySize } of client.workflow.list({
    query: `WorkflowId = '${workflowId}'`,
  })) {
    executions++
    events += historyLength
    bytes += historySize ?? 0
  }
  return `${executions} executions, ${(events / items).toFixed(2)} events and ${(bytes / items).toFixed(0)} bytes an item`
}

/** Reads with an engine of its own, as a command does: nothing is known of the run. */
async function look(name: string, read: (engine: Engine) => Promise<unknown>): Promise<void> {
  const own = await connectClient(settings)
  const engine = openTemporalEngine({ client: own, taskQueue, dataDir, loadActions: async () => actions })
  const { ms } = await measure(() => read(engine))
  await engine.close()
  verdict(`${name}: ${ms.toFixed(0)} ms`, ms / lookLimitMs, 1)
}

async function lookAt(when: string, runId: string): Promise<void> {
  await look(`readRunState ${when}`, (engine) => engine.readRunState(runId))
  await look(`readRun ${when}`, (engine) => engine.readRun(runId))
  await look(`readEvents ${when}`, (engine) => engine.readEvents(runId))
  await look(`readAttempts ${when}`, (engine) => engine.readAttempts(runId))
}

async function compare(): Promise<void> {
  const taken: (readonly [Taken<string>, Taken<string>])[] = []
  for (let round = 0; round < rounds; round++) {
    const mine = await measure(() => runOurs(items))
    const theirs = await measure(() => runByHand(items))
    taken.push([mine, theirs])
    for (const { made } of [mine, theirs]) console.error(`${made}: ${await historyOf(made)}`)
    console.error(
      `${items} items: ${mine.ms.toFixed(0)} ms, by hand ${theirs.ms.toFixed(0)} ms; processor ${mine.cpuMs.toFixed(0)} ms, by hand ${theirs.cpuMs.toFixed(0)} ms`,
    )
  }
  verdict(`${items} items, time`, median(taken.map(([one, other]) => one.ms / other.ms)), timeLimit)
  const cpuRatio = median(taken.map(([one, other]) => one.cpuMs / other.cpuMs))
  console.log(`ratio ${items} items, processor time of worker and client ${cpuRatio.toFixed(2)}`)
}

/** Such as 7 of `each[7]#1`. */
function itemOf(activityId: string | null | undefined): number {
  return Number(/\[(\d+)\]/.exec(activityId ?? '')?.[1])
}

/** Looks at a run that is nearly done, and again when it has ended. */
async function measureLooks(): Promise<void> {
  const runId = await startOurs(items)
  const handle = client.workflow.getHandle(runId)
  const ended = handle.result()
  // Its last execution is the longest that there is to be read of one that is open.
  const late = Math.floor(items * 0.9)
  for (;;) {
    const { pendingActivities } = (await handle.describe()).raw
    if (pendingActivities?.some(({ activityId }) => itemOf(activityId) >= late)) break
    await sleep(200)
  }
  await lookAt('while the run is open', runId)
  await ended
  await lookAt('after the run has ended', runId)
}

async function measureLists(): Promise<void> {
  await Promise.all(Array.from({ length: shortRuns }, () => runOurs(1)))
  await look(`listRuns by status, ${shortRuns} runs`, async (engine) => {
    while ((await engine.listRuns({ status: ['succeeded'] })).length < shortRuns) await sleep(10)
  })
}

// What is compiled with the first items belongs to no item.
await runOurs(warmUp)
await runByHand(warmUp)
await measureLists()
await compare()
await measureLooks()

await stage.close()
