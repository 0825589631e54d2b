/** `opsbook schedules`: what runs by the clock. */

import { isServed } from '../../engine/embedded/serve-lock.ts'
import { compareEntries } from '../../triggers/schedules/compare-entries.ts'
import type { SchedulesFlags } from '../commands/schedules.ts'
import { answer, answerJson, type CommandContext } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { withSchedules } from './open-schedules.ts'
import { scheduleLines } from './schedule-lines.ts'

/** Lists the schedules of the engine and of the runbooks here. */
export function schedules(context: CommandContext, flags: SchedulesFlags): Promise<ExitCode> {
  return withSchedules(context, flags, async ({ book, entries, isIncomplete, dataDir }) => {
    const records = await book.listSchedules()
    // Where a runbook cannot be read, nobody can say what no runbook names.
    const all = isIncomplete ? records : compareEntries(records, entries, Date.now())
    const isIdle = book.kind === 'embedded' && !isServed(dataDir)
    if (flags.output === 'json') {
      const served = book.kind === 'embedded' ? { is_served: !isIdle } : {}
      answerJson(context, { engine: book.kind, ...served, schedules: all })
    } else answer(context, scheduleLines(all, { isIdle, kind: book.kind, place: book.place }, context))
    return exitCodes.succeeded
  })
}
