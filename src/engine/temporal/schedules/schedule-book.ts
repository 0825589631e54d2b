import { setTimeout as sleep } from 'node:timers/promises'
import { type ScheduleDescription, type ScheduleHandle, ScheduleNotFoundError } from '@temporalio/client'
import { RunbookError } from '../../../core/run-error.ts'
import { rhythmOf } from '../../../core/triggers/rhythm-of.ts'
import type { ScheduleFire, SchedulePause, ScheduleRecord } from '../../../core/triggers/schedule-record.ts'
import type { ScheduleBook } from '../../schedule-book.ts'
import { type ClientPorts, placeOf, serverError } from '../client/talk-to-run.ts'
import type { ScheduledStart } from '../messages.ts'
import { listOwned } from './list-owned.ts'
import { serverIdOf, timeInRunId } from './schedule-ids.ts'

const shownTimes = 5
/** How long a server may take until it has started what it was asked for. */
const patienceMs = 10_000
const lookMs = 50

/** The schedules of a task queue. Closes the connection of the client with itself. */
export function openScheduleBook(ports: ClientPorts): ScheduleBook {
  const { client, taskQueue } = ports
  const { address, namespace } = placeOf(ports)
  const place = `"${namespace}" at ${address}`
  const handleOf = (id: string): ScheduleHandle => client.schedule.getHandle(serverIdOf(taskQueue, id))
  const asking = async <T>(id: string, ask: (handle: ScheduleHandle) => Promise<T>): Promise<T> => {
    try {
      return await ask(handleOf(id))
    } catch (thrown) {
      throw thrown instanceof ScheduleNotFoundError ? noSchedule(id, place) : serverError(thrown, ports)
    }
  }
  return {
    kind: 'temporal',
    place,
    // The server has each of them paused.
    readAllPause: async () => undefined,
    async listSchedules() {
      const records: ScheduleRecord[] = []
      try {
        for (const id of await listOwned(ports)) {
          const described = await handleOf(id)
            .describe()
            .catch((thrown: unknown) => {
              // It has gone in between.
              if (!(thrown instanceof ScheduleNotFoundError)) throw thrown
            })
          if (described) records.push(recordOf(id, described))
        }
      } catch (thrown) {
        throw serverError(thrown, ports)
      }
      return records
    },
    pause: (id, pause) =>
      asking(id, (handle) => (pause ? handle.pause(noteOf(pause)) : handle.unpause('not paused any more'))),
    trigger: (id) => asking(id, (handle) => triggerNow(handle, id)),
    remove: (id) => asking(id, (handle) => handle.delete()),
    close: () => client.connection.close(),
  }
}

function noSchedule(id: string, place: string): RunbookError {
  return new RunbookError('InvalidInput', `there is no schedule ${id} in ${place}`, {
    notSent: true,
    next: '"opsbook schedules" lists those that are there; "opsbook schedules apply" makes those that runbooks name.',
  })
}

function recordOf(id: string, { action, info, state }: ScheduleDescription): ScheduleRecord {
  const { scheduled, plan } = (action.args?.[0] ?? {}) as Partial<ScheduledStart>
  const schedule = plan?.triggers?.[scheduled?.trigger ?? 0]
  const [runbook] = action.searchAttributes?.['OpsbookRunbook'] ?? []
  const { nextActionTimes, numActionsMissedCatchupWindow, numActionsSkippedOverlap } = info
  return {
    id,
    runbook: typeof runbook === 'string' ? runbook : id,
    trigger: scheduled?.trigger ?? 0,
    // Nothing where it cannot be read here.
    ...(schedule?.type === 'schedule' ? rhythmOf(schedule) : {}),
    state: state.paused ? 'paused' : nextActionTimes.length === 0 ? 'ended' : 'active',
    ...(state.paused ? { paused: pauseOf(state.note) } : {}),
    next: nextActionTimes.slice(0, shownTimes).map((time) => time.toISOString()),
    last: info.recentActions.map(fireOf).toReversed(),
    missed: numActionsMissedCatchupWindow,
    overlapped: numActionsSkippedOverlap,
  }
}

function fireOf({ action, scheduledAt }: ScheduleDescription['info']['recentActions'][number]): ScheduleFire {
  const runId = action.workflow.workflowId
  // The time itself, where the server tells one that is later by chance.
  return { at: timeInRunId(runId) ?? scheduledAt.toISOString(), run_id: runId }
}

/** All that the server keeps of a pause is a text. */
function noteOf({ by = 'somebody', comment }: SchedulePause): string {
  return `paused by ${by}${comment === undefined ? '' : `: ${comment}`}`
}

function pauseOf(note: string | undefined): SchedulePause {
  const [, by, comment = note] =
    /^(?:with all triggers, )?paused by (.*?)(?:: (.*))?$/s.exec(note ?? '') ?? []
  return {
    ...(by === undefined ? {} : { by }),
    ...(comment === undefined || comment === '' || (by !== undefined && comment === note) ? {} : { comment }),
  }
}

/** The server says nothing of the run: it is the one that was not there before. */
async function triggerNow(handle: ScheduleHandle, id: string): Promise<string> {
  const before = new Set((await handle.describe()).info.recentActions.map(executionOf))
  await handle.trigger('ALLOW_ALL')
  for (const endMs = Date.now() + patienceMs; Date.now() < endMs; await sleep(lookMs)) {
    const { recentActions } = (await handle.describe()).info
    const started = recentActions.findLast((action) => !before.has(executionOf(action)))
    if (started) return started.action.workflow.workflowId
  }
  const message = `the server was asked to start a run of ${id}, and has not said that it did`
  throw new RunbookError('TemporalUnavailable', message)
}

function executionOf({ action }: ScheduleDescription['info']['recentActions'][number]): string {
  return action.workflow.firstExecutionRunId
}
