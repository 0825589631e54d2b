import type { Schedule } from './next-starts.ts'

/** What says when a schedule starts, as one text: with another one its times begin anew. What it starts is no part of it. */
export function definitionOf({ cron, everyMs, timezone, jitterMs, startAt, endAt }: Schedule): string {
  return JSON.stringify({ cron, everyMs, timezone, jitterMs, startAt, endAt })
}

/** The times of a schedule that no runbook names any more. */
export function readDefinition(text: string): Schedule {
  return { type: 'schedule', overlap: 'skip', ...JSON.parse(text) } as Schedule
}
