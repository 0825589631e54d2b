import type { RunRecord } from '../../core/record/run-record.ts'
import type { UndecidedCall } from '../../engine/engine.ts'
import { chooseCall } from '../../engine/record/choose-call.ts'
import { decideRun } from '../../engine/temporal/client/resume-run.ts'
import type { Verdict } from '../../engine/temporal/resume/decide-carried.ts'
import { CommandError } from '../command-error.ts'
import type { DecideFlags } from '../commands/decide.ts'
import { type CommandContext, tell } from '../context.ts'
import { withTemporalClient } from '../engine/with-temporal-client.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { goOnTemporal } from '../resume/go-on-temporal.ts'
import { printableLine } from '../terminal/printable.ts'

/** Settles a call of a run on Temporal, and follows the run, which goes on once nothing else of it is in doubt. */
export function decideOnTemporal(
  context: CommandContext,
  run: RunRecord,
  step: string,
  verdict: Verdict,
  options: DecideFlags,
): Promise<ExitCode> {
  if (!options.resume) throw cannotWait()
  const { run_id: runId, status, plan } = run
  const { decision, by } = verdict
  return withTemporalClient(context, (ports) => {
    const choose = (undecided: readonly UndecidedCall[]): UndecidedCall =>
      chooseCall(undecided, { runId, step }, status)
    const begin = async (): ReturnType<typeof decideRun> => {
      const next = await decideRun({ ...ports, runId, by }, choose, verdict)
      tell(context, `${printableLine(step)} of ${runId}: decided as ${decision} by ${printableLine(by)}`)
      return next
    }
    return goOnTemporal(context, ports, { runId, plan, begin }, options)
  })
}

function cannotWait(): CommandError {
  return new CommandError(exitCodes.usage, '--no-resume does not work on Temporal; nothing was changed', {
    hints: ['a run whose last doubt is settled goes on at once'],
  })
}
