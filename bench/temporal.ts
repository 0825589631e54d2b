/**
 * What a step costs on Temporal: our workflow against one that is written by hand and calls the same activity on the same
 * workers, in turns, on one server.
 *
 * - a step of a loop, one after another: 1.10 times at most;
 * - 200 calls at once: 1.10 times at most;
 * - a run of one step from its start to its end: 1.15 times at most.
 *
 * Beside each, the processor time of this process, which is worker and client at once, for a step of either.
 *
 *     npx tsx bench/temporal.ts [ROUNDS]
 */
import type { Plan } from 'opsbook'
import { actionQueueOf } from '../src/engine/temporal/index.ts'
import { runTypeOf } from '../src/engine/temporal/run-listing.ts'
import { measure, median, openStage, type Taken } from './temporal/open-stage.ts'
import { verdict } from './verdict.ts'

const rounds = Number(process.argv[2] ?? 15)

const stage = await openStage()
const { client, settings } = stage
const { taskQueue } = settings
let runs = 0

async function runOurs(plan: Plan, count: number): Promise<void> {
  const runId = `bench-${process.pid}-${++runs}`
  const start = {
    plan,
    inputs: { items: Array.from({ length: count }, (_, index) => index) },
    runId,
    startedAtMs: Date.now(),
    startedBy: 'bench',
    actionQueue: actionQueueOf(taskQueue),
    mostEvents: 50_000,
  }
  const { status } = (await client.workflow.execute(runTypeOf(plan.name), {
    workflowId: runId,
    taskQueue,
    args: [start],
  })) as {
    status: string
  }
  if (status !== 'succeeded') throw new Error(status)
}

async function runByHand(count: number, parallel: number): Promise<void> {
  const workflowId = `bench-${process.pid}-${++runs}`
  await stage.runByHand('handWritten', workflowId, count, parallel)
}

async function compare(name: string, count: number, parallel: number, limit: number): Promise<void> {
  const plan = stage.planFor(parallel)
  const taken: (readonly [Taken<void>, Taken<void>])[] = []
  for (let round = 0; round <= rounds; round++) {
    const mine = await measure(() => runOurs(plan, count))
    const theirs = await measure(() => runByHand(count, parallel))
    // The first round warms up.
    if (round > 0) taken.push([mine, theirs])
    console.error(`${name}: ${mine.ms.toFixed(0)} ms, by hand ${theirs.ms.toFixed(0)} ms, for ${count}`)
  }
  const [mine, theirs] = [0, 1].map((side) =>
    median(taken.map((pair) => (pair[side] as Taken<void>).cpuMs / count)),
  )
  const cpuRatio = median(taken.map(([one, other]) => one.cpuMs / other.cpuMs))
  verdict(name, median(taken.map(([one, other]) => one.ms / other.ms)), limit)
  console.log(
    `ratio ${name}, processor time ${cpuRatio.toFixed(2)}: ${mine?.toFixed(2)} ms, by hand ${theirs?.toFixed(2)} ms a step`,
  )
}

await compare('sequential-step', 200, 1, 1.1)
await compare('200-at-once', 200, 200, 1.1)
await compare('start', 1, 1, 1.15)

await stage.close()
