import { createHash } from 'node:crypto'
import { type Client, WorkflowExecutionAlreadyStartedError, type WorkflowOptions } from '@temporalio/client'
import { encodeToPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js'
import { withoutUndefined } from '../../../core/json.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { canonicalHash } from '../../attempt/index.ts'
import { protection } from '../codec/read-keys.ts'
import type { RunStart, ScheduledStart } from '../messages.ts'
import { type ListedRun, notStarted, type RunMemo, runTypeOf } from '../run-listing.ts'
import { type ClientPorts, serverError } from './client-ports.ts'
import { converterOf } from './read-history.ts'

/** The search attributes and the memo of a run: lists and pages show them without a worker. */
export function listingOf(start: RunStart | ScheduledStart, startToken: string): ListedRun {
  const { plan, inputs, key, connection, startedBy } = start
  const startedFrom = 'scheduled' in start ? start.scheduled : start.startedFrom
  const memo: RunMemo = {
    ...withoutUndefined({ title: plan.title, key }),
    planHash: plan.hash,
    inputsHash: canonicalHash(inputs),
    startedBy,
    ...('scheduled' in start ? {} : { startedAtMs: start.startedAtMs }),
    ...withoutUndefined({ startedFrom, connection }),
    startToken,
  }
  return {
    searchAttributes: {
      OpsbookRunbook: [plan.name],
      OpsbookStatus: ['scheduled' in start && start.line?.refuses ? notStarted : 'running'],
      OpsbookLabels: Object.entries(plan.labels ?? {}).map(([name, value]) => `${name}=${value}`),
    },
    memo: { ...memo },
    staticSummary: plan.title ?? plan.name,
  }
}

/** Starts an execution of a run. False: `policies` keep it from taking the place of another one. */
export async function startExecution(
  ports: ClientPorts,
  start: RunStart,
  startToken: string,
  policies: Pick<WorkflowOptions, 'workflowIdConflictPolicy' | 'workflowIdReusePolicy'>,
): Promise<boolean> {
  try {
    await ports.client.workflow.start(runTypeOf(start.plan.name), {
      workflowId: start.runId,
      taskQueue: ports.taskQueue,
      args: [start],
      ...policies,
      ...listingOf(start, startToken),
    })
    return true
  } catch (thrown) {
    if (thrown instanceof WorkflowExecutionAlreadyStartedError) return false
    throw serverError(thrown, ports)
  }
}

/** Moves failure messages to the encrypted details where this process has keys. */
export function messagePrivacy(): Pick<RunStart, 'hidesMessages'> {
  return protection() === 'none' ? {} : { hidesMessages: true }
}

/** The largest payload that the server accepts. */
const mostBytes = 2 * 1024 * 1024

/**
 * Throws `PlanTooLarge` for an input that is larger than the server accepts. `what` names it, with a verb. Resolves
 * with the size in bytes.
 */
export async function refuseTooLarge(
  client: Client,
  start: object,
  what = 'the plan and the inputs are',
): Promise<number> {
  const [payload] = (await encodeToPayloads(converterOf(client), start)) ?? []
  const bytes = payload?.data?.byteLength ?? 0
  if (bytes < mostBytes) return bytes
  const message = `${what} ${bytes} bytes, and a Temporal server takes ${mostBytes} at most; nothing was started`
  throw new RunbookError('PlanTooLarge', message, { notSent: true })
}

const longestName = 40

/**
 * The id of the run of a key: the same on any machine, so that a key has one workflow. Safe as a folder name.
 */
export function runIdOfKey(key: string): string {
  return namedRunId(key, key)
}

/**
 * The id of the run that an event starts: made of the task queue and the dedupe key, or of the event. So the server
 * refuses a second one, and two queues of a namespace do not collide.
 */
export function runIdOfEvent(
  { runbook, dedupeKey }: { readonly runbook: string; readonly dedupeKey?: string },
  { hook, id, receivedAtMs }: { readonly hook: string; readonly id: string; readonly receivedAtMs: number },
  { taskQueue, keepKeysMs }: { readonly taskQueue: string; readonly keepKeysMs: number },
): string {
  const period = Math.floor(receivedAtMs / keepKeysMs)
  const parts = dedupeKey === undefined ? ['event', runbook, hook, id] : ['key', runbook, dedupeKey, period]
  return namedRunId(`${runbook}-${dedupeKey ?? id}`, JSON.stringify([taskQueue, ...parts]))
}

function namedRunId(words: string, whole: string): string {
  const name = words.replaceAll(/[^A-Za-z0-9._-]+/g, '-').slice(0, longestName)
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, 12)
  return `run_${name}_${hash}`
}
