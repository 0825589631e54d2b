import { RunbookError } from '../../core/run-error.ts'
import type { RunHandle, RunReport } from '../../engine/record/run-handle.ts'
import { CommandError } from '../command-error.ts'
import type { EngineFlags } from '../commands/options.ts'
import { placeFlags } from '../configuration/place-flags.ts'
import type { CommandContext } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import type { RunViews } from './open-views.ts'
import { untilEnd } from './until-end.ts'

/** Follows a run on workers until it ends, or until somebody has seen enough: that stops nothing. */
export function lookOn(
  context: CommandContext,
  options: EngineFlags,
  views: RunViews,
  start: () => Promise<RunHandle>,
): Promise<RunReport> {
  return untilEnd(
    context,
    views,
    {
      tellStop: () => 'no longer looking on; the run goes on on its workers',
      explain: (thrown, { runId }) =>
        RunbookError.is(thrown) && thrown.code === 'Interrupted' ? goesOn(runId, options) : thrown,
    },
    start,
  )
}

function goesOn(runId: string, options: EngineFlags): CommandError {
  const command = (words: string): string => `opsbook ${words} ${runId} ${placeFlags(options)}`.trim()
  return new CommandError(exitCodes.interrupted, `${runId} goes on on its workers`, {
    hints: [`"${command('watch')}" looks on again`, `"${command('cancel')}" ends it`],
  })
}
