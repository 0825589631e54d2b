import type { RunRecord } from '../../core/record/run-record.ts'
import { systemUser } from '../../engine/record/system-user.ts'
import { resumeRun } from '../../engine/temporal/client/resume-run.ts'
import { CommandError } from '../command-error.ts'
import type { ResumeFlags } from '../commands/resume.ts'
import type { CommandContext } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { goOnTemporal } from './go-on-temporal.ts'

/** Goes on with a run on its workers, as it is: with its own plan and inputs, and their connections. */
export function resumeOnTemporal(
  context: CommandContext,
  run: RunRecord,
  options: ResumeFlags,
): Promise<ExitCode> {
  refuseChanges(options)
  const { run_id: runId } = run
  return goOnTemporal(context, run, options, (ports) => resumeRun({ ...ports, runId, by: systemUser() }))
}

/** What would change the run, or has no meaning for workers elsewhere. */
const refused = {
  runbook: '--runbook',
  input: '--input',
  from: '--from',
  keep: '--keep',
  repeat: '--repeat',
  skip: '--skip',
  dryRun: '--dry-run',
  connection: '--connection',
  sandbox: '--sandbox',
  fromCopy: '--from-copy',
  yes: '--yes',
} as const satisfies Partial<Record<keyof ResumeFlags, string>>

function refuseChanges(options: ResumeFlags): void {
  const given = (Object.keys(refused) as (keyof typeof refused)[]).find((name) => options[name] !== undefined)
  if (given === undefined) return
  throw new CommandError(
    exitCodes.usage,
    `${refused[given]} does not work on Temporal yet; nothing was changed`,
    {
      hints: ['without it the run goes on with its own plan and inputs'],
    },
  )
}
