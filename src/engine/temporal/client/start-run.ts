import { randomUUID } from 'node:crypto'
import type { Client } from '@temporalio/client'
import type { ActionDescription } from '../../../core/action.ts'
import type { Identity } from '../../../core/events.ts'
import { type JsonObject, withoutUndefined } from '../../../core/json.ts'
import type { Plan } from '../../../core/plan/index.ts'
import {
  type Concurrency,
  concurrencyConflict,
  concurrencyOf,
  joinText,
  keyTaken,
} from '../../../core/record/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { canonicalHash, preflightCheck, refuseMalformedKey } from '../../attempt/index.ts'
import { createRunId, type RunHandle, systemIdentity } from '../../record/index.ts'
import { missingKeyOf } from '../codec/read-keys.ts'
import { awaitedLineOf } from '../concurrency/line-id.ts'
import { actionQueueOf } from '../connection.ts'
import type { RunStart } from '../messages.ts'
import type { RunMemo } from '../run-listing.ts'
import { askLine, existsSoon } from './ask-line.ts'
import type { ClientPorts } from './client-ports.ts'
import { describeOf } from './describe-run.ts'
import { type FollowRunOptions, followRun, type StartedRun } from './follow-run.ts'
import { lookForWorkers } from './look-for-workers.ts'
import { readSummary } from './read-summary.ts'
import { messagePrivacy, refuseTooLarge, runIdOfKey, startExecution } from './start-options.ts'

/** What a run on Temporal is started with. */
export interface StartOptions extends FollowRunOptions {
  readonly plan: Plan
  /** Checked against the plan's schema, defaults filled in. */
  readonly inputs: JsonObject
  /** The actions known here: arguments are checked against them before anything is started. */
  readonly actions?: readonly ActionDescription[]
  /** Checks the inputs of child runbooks, together with `actions`: `checkInputs`. */
  readonly checkInputs?: Parameters<typeof preflightCheck>[0]['checkInputs']
  /** Starts the run, or joins it. */
  readonly key?: string
  /** Name of the default connection; left out: that of the workers. */
  readonly connection?: string
  readonly approve?: 'all'
  /**
   * Who starts it.
   * @default the system user of this process
   */
  readonly by?: Identity
  /** The run continues in another execution of its workflow once the history has this many events. */
  readonly mostEvents?: number
  /**
   * How long the run waits for the answer of a worker that it has lost in the middle of a create, in milliseconds. After
   * that the outcome is unknown.
   * @default 120000
   */
  readonly lostCreateWaitMs?: number
}

/** Starts a run on the workers of a queue, or joins it, and follows it. */
export async function startRun(options: StartOptions): Promise<RunHandle> {
  return followRun(await beginRun(options), options)
}

/**
 * Starts a run on the workers of a queue, or joins one of the same key or of the same `concurrency` key. Rejects with
 * `ConcurrencyConflict` where an open run has the concurrency key and the runbook says `reject`. Rejects with
 * `PayloadUnreadable` where the answers of the workers could not be read here.
 */
export async function beginRun(options: StartOptions): Promise<StartedRun> {
  const { taskQueue, plan, inputs, key, connection, actions, checkInputs } = options
  refuseMalformedKey(key)
  if (actions) preflightCheck({ plan, inputs, actions, checkInputs })
  await refuseMissingKey(options)
  const startedAt = new Date()
  const { by: startedBy = systemIdentity() } = options
  const start: RunStart = {
    plan,
    inputs,
    runId: key === undefined ? createRunId(startedAt) : runIdOfKey(key),
    startedAtMs: startedAt.getTime(),
    startedBy,
    ...messagePrivacy(),
    actionQueue: actionQueueOf(taskQueue),
    ...withoutUndefined({
      key,
      connection,
      mostEvents: options.mostEvents,
      lostCreateWaitMs: options.lostCreateWaitMs,
    }),
    ...(options.approve === 'all' ? { approvedBy: startedBy } : {}),
  }
  const facts = { id: start.runId, started_at: startedAt.toISOString() }
  return beginStart(options, start, concurrencyOf(plan, inputs, facts))
}

type BeginPorts = ClientPorts & Pick<FollowRunOptions, 'say'>

/** The same for a run that has an id already, with its concurrency key and policy. */
export async function beginStart(
  ports: BeginPorts,
  given: RunStart,
  concurrency: Concurrency | undefined,
): Promise<StartedRun> {
  const { client, say } = ports
  const { runId, key } = given
  const startToken = randomUUID()
  const line = awaitedLineOf(ports.taskQueue, given.plan.name, concurrency)
  const start = line ? { ...given, line } : given
  await refuseTooLarge(client, start)
  const joined = async (): Promise<StartedRun> => ({
    runId,
    isJoined: await isOfAnother(client, start, startToken),
  })
  // A run that has ended needs no place in the line.
  if (key !== undefined && line?.refuses && (await describeOf(ports, runId))) return joined()
  for (;;) {
    const asked = await askLine(ports, start)
    if ('start' in asked) {
      // A run of the key that has ended gives its result to the caller that joins it.
      const isStarted = await startExecution(ports, asked.start, startToken, {
        workflowIdConflictPolicy: key === undefined ? 'FAIL' : 'USE_EXISTING',
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
      })
      return isStarted && key === undefined ? { runId, isJoined: false } : joined()
    }
    const { holder, key: taken } = asked
    if (concurrency?.onConflict !== 'skip') throw concurrencyConflict(holder, given.plan.name, taken)
    // Its start may have failed.
    if (!(await existsSoon(ports, holder))) continue
    say?.(joinText(holder, taken))
    return { runId: holder, isJoined: true }
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

/** A slower server does not keep a run from being started. */
const answerMs = 2000

/** Throws `PayloadUnreadable` where a worker of the queue encrypts with a key that is missing here. */
async function refuseMissingKey({ client, taskQueue }: ClientPorts): Promise<void> {
  const found = await client
    .withDeadline(Date.now() + answerMs, () => lookForWorkers(client, taskQueue))
    .catch(() => undefined)
  for (const { identity } of [...(found?.runs.pollers ?? []), ...(found?.calls.pollers ?? [])]) {
    const id = missingKeyOf(identity)
    if (id === undefined) continue
    const message = `the worker ${identity} encrypts with the key ${id}, which is not here: nothing was started`
    throw new RunbookError('PayloadUnreadable', message, { notSent: true })
  }
}
