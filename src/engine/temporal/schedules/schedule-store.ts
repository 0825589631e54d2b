import { type ScheduleDescription, type ScheduleHandle, ScheduleNotFoundError } from '@temporalio/client'
import type { Identity } from '../../../core/events.ts'
import { concurrencyOf } from '../../../core/record/index.ts'
import { RunbookError, refused } from '../../../core/run-error.ts'
import {
  refuseChangedPause,
  refuseStartedSince,
  rhythmOf,
  type ScheduleFire,
  type ScheduleRecord,
} from '../../../core/triggers/index.ts'
import type { ScheduleStore } from '../../index.ts'
import { atServer, type ClientPorts, placeOf, serverError } from '../client/client-ports.ts'
import { describeAny } from '../client/describe-run.ts'
import { readSummary, searchWordOf } from '../client/read-summary.ts'
import { beginStart } from '../client/start-run.ts'
import { whyUnreadable } from '../codec/unreadable.ts'
import type { RunStart, ScheduledStart } from '../messages.ts'
import { openEventStore } from '../received-events/event-store.ts'
import { isRunQuery, notStarted, type RunMemo } from '../run-listing.ts'
import { noteOfAll, noteOfPause, pauseOfNote } from './pause-all.ts'
import { describeOwned, runbookOf, runIdsByHand, serverIdOf, timeInRunId } from './schedule-ids.ts'

const shownTimes = 5

/** The schedules of a task queue. Closes the connection of the client with itself. */
export function openScheduleStore(ports: ClientPorts): ScheduleStore {
  const { client, taskQueue } = ports
  const { address, namespace } = placeOf(ports)
  const location = `"${namespace}" at ${address}`
  const handleOf = (id: string): ScheduleHandle => client.schedule.getHandle(serverIdOf(taskQueue, id))
  const asking = async <T>(id: string, ask: (handle: ScheduleHandle) => Promise<T>): Promise<T> => {
    try {
      return await ask(handleOf(id))
    } catch (thrown) {
      throw thrown instanceof ScheduleNotFoundError ? noSchedule(id, location) : serverError(thrown, ports)
    }
  }
  return {
    kind: 'temporal',
    location,
    // On a server, each schedule is paused on its own.
    readAllPause: async () => undefined,
    listSchedules: () =>
      atServer(ports, async () => {
        const records: ScheduleRecord[] = []
        for await (const { id, described } of describeOwned(ports)) {
          const last = await firesOf(ports, id, described)
          records.push({ ...recordOf(id, described), last })
        }
        return records
      }),
    // The server takes no condition with a pause or a start: what is shown is compared right before.
    async pause(id, pause, shown) {
      // A schedule has one pause on the server: the pause of all replaces its own.
      const all = pause ? undefined : await openEventStore(ports).readPause()
      await asking(id, async (handle) => {
        if (shown !== undefined)
          refuseChangedPause(`${id} was`, recordOf(id, await handle.describe()).paused, shown)
        if (pause) return handle.pause(noteOfPause(pause))
        return all ? handle.pause(noteOfAll(all)) : handle.unpause('not paused any more')
      })
    },
    trigger: (id, by, shown) =>
      asking(id, async (handle) => {
        const described = await handle.describe()
        if (shown !== undefined) refuseStartedSince(id, await firesOf(ports, id, described), shown)
        return startByHand(ports, orderOf(described), by)
      }),
    remove: (id) => asking(id, (handle) => handle.delete()),
    close: () => client.connection.close(),
  }
}

function noSchedule(id: string, location: string): RunbookError {
  return refused(
    `there is no schedule ${id} in ${location}`,
    '"opsbook schedules" lists those that are there; "opsbook schedules apply" makes those that runbooks name.',
  )
}

/** The input of the workflow that the server starts. */
function orderOf({ action }: ScheduleDescription): ScheduledStart {
  return (action.args?.[0] ?? {}) as ScheduledStart
}

function recordOf(id: string, described: ScheduleDescription): Omit<ScheduleRecord, 'last'> {
  const { info, state } = described
  const { scheduled, plan }: Partial<ScheduledStart> = orderOf(described)
  const schedule = plan?.triggers?.[scheduled?.trigger ?? 0]
  const { nextActionTimes, numActionsMissedCatchupWindow, numActionsSkippedOverlap } = info
  return {
    id,
    runbook: runbookOf(id, described),
    trigger: scheduled?.trigger ?? 0,
    // Empty where the plan cannot be read here.
    ...(schedule?.type === 'schedule' ? rhythmOf(schedule) : {}),
    state: state.paused ? 'paused' : 'active',
    ...(state.paused ? { paused: pauseOfNote(state.note) } : {}),
    next: nextActionTimes.slice(0, shownTimes).map((time) => time.toISOString()),
    missed: numActionsMissedCatchupWindow,
    overlapped: numActionsSkippedOverlap,
  }
}

type ScheduleAction = ScheduleDescription['info']['recentActions'][number]

/** How many starts the server keeps. */
const most = 10

/** The results of the last times of a schedule and of starts by hand, the newest first. */
async function firesOf(
  ports: ClientPorts,
  id: string,
  described: ScheduleDescription,
): Promise<readonly ScheduleFire[]> {
  const isKnown = orderOf(described).line?.refuses !== true
  const started = await Promise.all(
    described.info.recentActions.map((action) => fireOf(ports, action, isKnown)),
  )
  const fires = [...started.flat(), ...(await startedByHand(ports, id))]
  return fires.toSorted((one, other) => (one.at < other.at ? 1 : -1)).slice(0, most)
}

/** Whether a time has started a run. `isKnown`: it has, also where the server no longer has its workflow. */
async function fireOf(
  ports: ClientPorts,
  { action, scheduledAt }: ScheduleAction,
  isKnown: boolean,
): Promise<readonly ScheduleFire[]> {
  const { workflowId, firstExecutionRunId } = action.workflow
  const at = timeInRunId(workflowId) ?? scheduledAt.toISOString()
  const described = await describeAny(ports, workflowId, firstExecutionRunId)
  if (!described && !isKnown) return []
  if (!described || searchWordOf(described, 'OpsbookStatus') !== notStarted)
    return [{ at, run_id: workflowId }]
  const { fire } = (described.memo ?? {}) as Partial<RunMemo>
  const { name } = described.status
  const otherwise: Omit<ScheduleFire, 'at'> =
    name === 'RUNNING'
      ? { because: 'waits', message: 'it waits for a worker' }
      : { because: 'missed', message: `its workflow was ended on the server: ${name.toLowerCase()}` }
  return [{ at, ...(fire ?? otherwise) }]
}

async function startedByHand(
  { client, taskQueue }: ClientPorts,
  id: string,
): Promise<readonly ScheduleFire[]> {
  const prefix = runIdsByHand(taskQueue, id)
  const query = `${isRunQuery} AND ExecutionStatus != 'ContinuedAsNew' AND WorkflowId STARTS_WITH '${prefix}'`
  const fires: ScheduleFire[] = []
  for await (const info of client.workflow.list({ query })) {
    const { run_id, started_by, started_at, started_from } = readSummary(info)
    const at = started_from?.kind === 'schedule' ? started_from.at : started_at
    // A resumed run has several executions.
    if (!fires.some((fire) => fire.run_id === run_id))
      fires.push({ at, run_id, ...(started_by === undefined ? {} : { started_by }) })
  }
  return fires
}

/**
 * Starts a run of a schedule for a person, without the server, which would not record who. `order` is what the server
 * starts at its times. Resolves with the id of the run. Rejects with `ConcurrencyConflict` where another run has the
 * concurrency key.
 */
async function startByHand(ports: ClientPorts, order: ScheduledStart, by: Identity): Promise<string> {
  const unreadable = whyUnreadable(order)
  if (unreadable !== undefined) throw new RunbookError('PayloadUnreadable', unreadable, { notSent: true })
  const { scheduled, ...given } = order
  const at = new Date().toISOString()
  const start: RunStart = {
    ...given,
    runId: `${runIdsByHand(ports.taskQueue, scheduled.schedule)}${at}`,
    startedAtMs: Date.parse(at),
    startedBy: by,
    triggeredBy: by,
    startedFrom: { kind: 'schedule', ...scheduled, at },
  }
  const { plan, inputs, runId } = start
  const concurrency = concurrencyOf(plan, inputs, { id: runId, started_at: at })
  // A person who starts a schedule does not follow another run.
  const onConflict = concurrency?.onConflict === 'skip' ? 'reject' : concurrency?.onConflict
  await beginStart(ports, start, concurrency && onConflict && { ...concurrency, onConflict })
  return runId
}
