/** `opsbook schedules`: what runs by the clock. */

import type { ScheduleRecord } from '../../core/triggers/schedule-record.ts'
import { isServed } from '../../engine/embedded/serve-lock.ts'
import type { TriggerPause } from '../../engine/event-book.ts'
import { compareEntries } from '../../triggers/schedules/compare-entries.ts'
import type { SchedulesFlags } from '../commands/schedules.ts'
import { placeFlags } from '../configuration/place-flags.ts'
import { answer, answerJson, type CommandContext } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { isSameName } from '../runbook-files/find-runbook.ts'
import { printableLine } from '../terminal/printable.ts'
import { allPausedText } from '../triggers/paused-text.ts'
import { withSchedules } from './open-schedules.ts'
import { scheduleLines } from './schedule-lines.ts'

/** Lists the schedules of the engine and of the runbooks here. */
export function schedules(context: CommandContext, flags: SchedulesFlags): Promise<ExitCode> {
  return withSchedules(context, flags, async ({ book, entries, notValid, dataDir }) => {
    const records = await book.listSchedules()
    // What a runbook names that is not valid nobody can say.
    const isUnsure = (runbook: string) => notValid.some((name) => isSameName(name, runbook))
    const all = compareEntries(records, entries, Date.now(), isUnsure)
    const isIdle = book.kind === 'embedded' && !isServed(dataDir)
    const pause = await book.readAllPause()
    const shown = pause ? all.map((record) => withPause(record, pause)) : all
    if (flags.output === 'json') {
      const served = book.kind === 'embedded' ? { is_served: !isIdle } : {}
      answerJson(context, {
        engine: book.kind,
        ...served,
        ...(pause ? { paused: pause } : {}),
        schedules: shown,
      })
    } else
      answer(context, [
        ...(pause ? [...pausedLines(pause, flags, context), ''] : []),
        ...scheduleLines(shown, { isIdle, kind: book.kind, place: book.place }, context),
      ])
    return exitCodes.succeeded
  })
}

/** What is in force: of one that is paused by itself its own pause is told. */
function withPause(record: ScheduleRecord, paused: TriggerPause): ScheduleRecord {
  return record.state === 'active' ? { ...record, state: 'paused', paused } : record
}

function pausedLines(
  pause: TriggerPause,
  flags: SchedulesFlags,
  { paint }: CommandContext,
): readonly string[] {
  return [
    paint.yellow(printableLine(allPausedText(pause))),
    `  ${`opsbook triggers unpause ${placeFlags(flags)}`.trim()}`,
  ]
}
