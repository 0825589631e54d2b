import { createHash } from 'node:crypto'

const prefix = 'opsbook-schedule:'

/** Where the schedules of a task queue begin: what begins like this belongs to Opsbook, and to nobody else. */
export function idsOf(taskQueue: string): string {
  return `${prefix}${taskQueue}:`
}

/** What a schedule is called on the server. */
export function serverIdOf(taskQueue: string, id: string): string {
  return idsOf(taskQueue) + id
}

/** The beginning of the ids of its runs, to which the server adds the time. Runs of another queue have others. */
export function runIdsOf(taskQueue: string, id: string): string {
  return `run_${id}_${createHash('sha256').update(taskQueue).digest('hex').slice(0, 6)}`
}

/** The beginning of the ids of the runs of it that people start, to which the time is added. */
export function runIdsByHand(taskQueue: string, id: string): string {
  return `${runIdsOf(taskQueue, id)}-by-hand-`
}

/** The time that the server has added to the id of a run. */
export function timeInRunId(runId: string): string | undefined {
  const [, time] = /-(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/.exec(runId) ?? []
  return time === undefined ? undefined : new Date(time).toISOString()
}
