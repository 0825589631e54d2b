/** `opsbook resume`: goes on with a run that was interrupted or failed. */
import { refuseOutside } from '../../actions/index.ts'
import type { RecordedStatus } from '../../core/record/run-record.ts'
import { RunbookError } from '../../core/run-error.ts'
import { compareResume, type ResumeOptions, resumeRun } from '../../engine/embedded/index.ts'
import { checkInputs } from '../../load/index.ts'
import type { ResumeFlags } from '../commands/resume.ts'
import { chooseDataDir, readRunConfiguration } from '../configuration/index.ts'
import { scopeOf } from '../configuration/run-scope.ts'
import type { CommandContext } from '../context.ts'
import { withEngine } from '../engine/with-engine.ts'
import type { ExitCode } from '../exit-codes.ts'
import { loadActions } from '../load-actions.ts'
import { resolveRunService, tellWarnings } from '../open-service.ts'
import { findRun, findStanding } from '../record/find-run.ts'
import { learnSecrets } from '../record/learn-secrets.ts'
import { followRun } from '../run/follow-run.ts'
import { needsDefaultConnection } from '../run/uses-of-plan.ts'
import { actionsFor } from '../stays-inside.ts'
import { chooseService } from './choose-service.ts'
import { plainComparison } from './plain-comparison.ts'
import { changesSomething, readAmendment } from './read-amendment.ts'
import { answerComparison, tellComparison } from './show-comparison.ts'
import { skipReplay } from './skip-replay.ts'

/** A paused run has a process already: it waits for a word, and never ends by itself. */
function refusePaused(runId: string, status: RecordedStatus): void {
  if (status !== 'paused') return
  throw new RunbookError('RunInUse', `${runId} is paused`, {
    notSent: true,
    next: `Let it go on: "opsbook unpause ${runId}".`,
  })
}

/** Goes on with a run, or with its cancellation, and follows it to its end. */
export async function resume(
  context: CommandContext,
  given: string,
  options: ResumeFlags,
  more: Pick<ResumeOptions, 'cancel'> = {},
): Promise<ExitCode> {
  const configuration = await readRunConfiguration(context.io)
  const known = await loadActions(context.io)
  const dataDir = chooseDataDir(options.dataDir, configuration, context.io)
  return withEngine(context, options, async (engine) => {
    if (engine.kind === 'temporal') {
      const { resumeOnTemporal } = await import('./resume-on-temporal.ts')
      const { run_id: runId, status } = await findStanding(given, engine)
      refusePaused(runId, status)
      if (options.dryRun && !changesSomething(options))
        return answerComparison(plainComparison(await findRun(runId, engine)), options, context)
      return resumeOnTemporal(context, runId, options, known)
    }
    const record = await findRun(given, engine)
    refusePaused(record.run_id, record.status)
    if (options.dryRun && !changesSomething(options))
      return answerComparison(plainComparison(record), options, context)
    const service = chooseService(record, options, context)
    const actions = actionsFor(service, known)
    const amendment = await readAmendment(options, record.plan, actions, context)
    const asked = amendment && { dataDir, runId: record.run_id, actions, checkInputs, amendment }
    if (asked && options.dryRun) return answerComparison(compareResume(asked), options, context)
    if (asked) tellComparison(compareResume(asked), options, context)
    const plan = amendment?.plan ?? record.plan
    // A cancellation only cleans up, and what it cannot do must not keep it from the rest.
    if (!more.cancel) refuseOutside({ plan, inputs: amendment?.inputs ?? record.inputs, actions })
    const isNeeded = needsDefaultConnection(plan, actions)
    const { connection, close } = await resolveRunService(service, isNeeded, configuration, context)
    try {
      tellWarnings(connection, context)
      const means = {
        connection,
        configuration,
        service,
        actions,
        plan,
        dataDir,
      }
      return await followRun(context, options, means, async (parts, views) => {
        // After a change everything is gone over anew, and told again.
        if (!amendment) for (const { event } of await engine.readEvents(record.run_id)) views.recall(event)
        // The journal of a killed process can hold answers that its events lack.
        await learnSecrets(record, engine, views.secretMask)
        const replay = skipReplay(parts.onEvent)
        const handle = await resumeRun({
          ...parts,
          ...more,
          ...(options.fromCopy ? { fromCopy: true } : {}),
          dataDir,
          runId: record.run_id,
          scope: scopeOf(configuration, connection, context.io),
          onEvent: replay.onEvent,
          ...(amendment ? { amendment } : {}),
        })
        replay.begin((await engine.readRun(record.run_id)) ?? record)
        return handle
      })
    } finally {
      await close()
    }
  })
}
