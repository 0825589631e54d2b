import { randomUUID } from 'node:crypto'
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import type { ActionDescription } from '../../../core/action.ts'
import { type Concurrency, concurrencyOf } from '../../../core/concurrency-key.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Plan } from '../../../core/plan.ts'
import { keyTaken } from '../../../core/record/key-taken.ts'
import { canonicalHash } from '../../attempt/canonical-hash.ts'
import { refuseMalformedKey, refuseWhatCannotWork } from '../../attempt/refuse-what-cannot-work.ts'
import type { RunHandle } from '../../record/run-handle.ts'
import { createRunId } from '../../record/run-id.ts'
import { systemIdentity } from '../../record/system-user.ts'
import { actionQueueOf } from '../connection.ts'
import type { RunStart } from '../messages.ts'
import type { RunMemo } from '../run-memo.ts'
import { runTypeOf } from '../run-type.ts'
import { describeOf } from './describe-run.ts'
import { type FollowRunOptions, followRun } from './follow-run.ts'
import { listedAs } from './listed-as.ts'
import { readSummary } from './read-summary.ts'
import { refuseMissingKey } from './refuse-missing-key.ts'
import { refuseTooLarge } from './refuse-too-large.ts'
import { abilitiesOf } from './run-abilities.ts'
import { runIdOfKey } from './run-ids.ts'
import { startWithConcurrencyKey } from './start-with-concurrency-key.ts'
import { type ClientPorts, serverError } from './talk-to-run.ts'
import { type AwaitedRun, untilBegun } from './until-begun.ts'

/** What a run on Temporal is started with. */
export interface StartOptions extends FollowRunOptions {
  readonly plan: Plan
  /** Checked against the plan's schema, defaults filled in. */
  readonly inputs: JsonObject
  /** What is known of actions here: arguments are checked against them before anything is started. */
  readonly actions?: readonly ActionDescription[]
  /** Starts the run, or joins it. */
  readonly key?: string
  /** Name of the default connection; left out: that of the workers. */
  readonly connection?: string
  readonly approve?: 'all'
  /** The run goes on in another execution of its workflow once the history has so many events. */
  readonly mostEvents?: number
  /**
   * How long the run waits for the answer of a worker that it has lost in the middle of a create, in milliseconds. After
   * that the outcome is unknown.
   * @default 120000
   */
  readonly lostCreateWaitMs?: number
}

/** A run that was started, or joined, and goes on whether anybody looks on or not. */
export interface StartedRun {
  readonly runId: string
  readonly isJoined: boolean
  /** It may not be there yet: a worker is to start it, at once or when the run in its place has ended. */
  readonly awaited?: AwaitedRun
}

/** Starts a run on the workers of a queue, or joins it, and follows it. */
export async function startRun(options: StartOptions): Promise<RunHandle> {
  return followRun(await beginRun(options), options)
}

/**
 * Starts a run on the workers of a queue, or joins one: of the same key, or where the runbook says so of the same
 * `concurrency` key. Rejects with `ConcurrencyConflict` where such a run goes on and the runbook says `reject`, and
 * with `PayloadUnreadable` where the answers of its workers could not be read here.
 */
export async function beginRun(options: StartOptions): Promise<StartedRun> {
  const { client, taskQueue, plan, inputs, key, connection, actions } = options
  refuseMalformedKey(key)
  if (actions) refuseWhatCannotWork({ plan, inputs, actions })
  await refuseMissingKey(options)
  const startedAt = new Date()
  const startedBy = systemIdentity()
  const start: RunStart = {
    plan,
    inputs,
    runId: key === undefined ? createRunId(startedAt) : runIdOfKey(key),
    startedAtMs: startedAt.getTime(),
    startedBy,
    ...abilitiesOf(client),
    actionQueue: actionQueueOf(taskQueue),
    ...(key === undefined ? {} : { key }),
    ...(connection === undefined ? {} : { connection }),
    ...(options.mostEvents === undefined ? {} : { mostEvents: options.mostEvents }),
    ...(options.lostCreateWaitMs === undefined ? {} : { lostCreateWaitMs: options.lostCreateWaitMs }),
    ...(options.approve === 'all' ? { approvedBy: startedBy } : {}),
  }
  const facts = { id: start.runId, started_at: startedAt.toISOString() }
  return beginStart(options, start, concurrencyOf(plan, inputs, facts))
}

type BeginPorts = ClientPorts & Pick<FollowRunOptions, 'say'>

/** The same for a run that has its id already, with what its runbook says of others. */
export async function beginStart(
  ports: BeginPorts,
  start: RunStart,
  concurrency: Concurrency | undefined,
): Promise<StartedRun> {
  const { client } = ports
  const { runId, key } = start
  const startToken = randomUUID()
  if (concurrency) return beginAlone(ports, start, startToken, concurrency)
  await refuseTooLarge(client, start)
  await request(ports, start, startToken)
  if (key === undefined) return { runId, isJoined: false }
  return { runId, isJoined: await isOfAnother(client, start, startToken) }
}

/** How long whoever only starts a run waits until it is there. */
const patienceMs = 2000

async function beginAlone(
  ports: BeginPorts,
  start: RunStart,
  startToken: string,
  concurrency: Concurrency,
): Promise<StartedRun> {
  const { client, say } = ports
  const { runId, key, plan } = start
  if (key !== undefined && (await describeOf(ports, runId)))
    return { runId, isJoined: await isOfAnother(client, start, startToken) }
  const kept = { start, listed: listedAs(start, startToken) }
  await refuseTooLarge(client, kept)
  const begun = await startWithConcurrencyKey(ports, kept, concurrency, say)
  const place = { lockId: begun.lockId, runbook: plan.name, key: concurrency.key }
  if (begun.kind === 'joined')
    return { runId: begun.runId, isJoined: true, awaited: { ...place, runId: begun.runId } }
  const awaited = { ...place, executionId: begun.executionId, runId, startToken }
  const found = await untilBegun(ports, awaited, { mostMs: patienceMs })
  if (found === 'not-yet') return { runId, isJoined: false, awaited }
  return { runId, isJoined: found === 'ours' ? false : await isOfAnother(client, start, startToken) }
}

async function request(ports: ClientPorts, start: RunStart, startToken: string): Promise<void> {
  const { client, taskQueue } = ports
  const { runId, key, plan } = start
  try {
    await client.workflow.start(runTypeOf(plan.name), {
      workflowId: runId,
      taskQueue,
      args: [start],
      ...(key === undefined
        ? {}
        : { workflowIdConflictPolicy: 'USE_EXISTING', workflowIdReusePolicy: 'REJECT_DUPLICATE' }),
      ...listedAs(start, startToken),
    })
  } catch (thrown) {
    // It has ended: whoever joins it gets how.
    if (key !== undefined && thrown instanceof WorkflowExecutionAlreadyStartedError) return
    throw serverError(thrown, ports)
  }
}

/** Whether another start has made the run. Throws `InvalidInput` where that does something else. */
async function isOfAnother(
  client: Client,
  { runId, key, plan, inputs }: RunStart,
  startToken: string,
): Promise<boolean> {
  const info = await client.workflow.getHandle(runId).describe()
  const memo = info.memo as RunMemo | undefined
  if (memo?.startToken === startToken) return false
  const { runbook } = readSummary(info)
  const isOther = runbook !== plan.name
  if (!isOther && memo?.inputsHash === canonicalHash(inputs)) return true
  throw keyTaken(key, runId, isOther ? runbook : undefined)
}
