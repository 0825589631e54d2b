import type { TriggeredRunbook } from '../../triggers/offers/runbook.ts'
import { schedulesOf } from '../../triggers/schedules/schedule-entry.ts'
import { printableLine } from '../terminal/printable.ts'

/** What `serve` serves, for people: its hooks, runbooks and schedules, also where there are none. */
export function servedLines(
  hooks: readonly string[],
  runbooks: readonly TriggeredRunbook[],
): readonly string[] {
  const line = (what: string, names: readonly string[]): string =>
    `  ${what.padEnd(10)} ${names.length === 0 ? 'none' : printableLine(names.join(', '))}`
  return [
    line('hooks', hooks),
    line(
      'runbooks',
      runbooks.map(({ plan }) => plan.name),
    ),
    line('schedules', scheduleNames(runbooks)),
  ]
}

export function scheduleNames(runbooks: readonly TriggeredRunbook[]): readonly string[] {
  return runbooks.flatMap(({ plan }) => schedulesOf(plan).map(({ id }) => id))
}
