/** `opsbook resume`: resumes a run that was interrupted or failed. */

import { type Action, refuseOutside } from '../../actions/index.ts'
import { refusePaused } from '../../acts/resume/index.ts'
import type { TimedRunEvent } from '../../core/events.ts'
import { hasCleanUp } from '../../core/plan/index.ts'
import {
  type ControlRequest,
  isUnfinished,
  type RunRecord,
  refuseEnded,
  type StepRecord,
} from '../../core/record/index.ts'
import { resumeRun } from '../../engine/embedded/index.ts'
import type { Engine } from '../../engine/index.ts'
import { checkInputs } from '../../load/index.ts'
import { loadActions, needsDefaultConnection } from '../../project/actions/index.ts'
import { resolveRunService } from '../../project/clients/index.ts'
import { chooseDataDir, readRunConfiguration } from '../../project/configuration/index.ts'
import { actionsFor, connectionScopeOf, type ServiceChoice } from '../../project/connections/index.ts'
import { withEngine } from '../../project/engine/index.ts'
import { isSandboxName, openSandboxName } from '../../project/index.ts'
import { findRun, findRunState, learnSecrets } from '../../project/records/index.ts'
import { enclosingPaths } from '../../view/run/index.ts'
import { followInTerminal } from '../run/follow-run.ts'
import type { RunViews } from '../run/open-views.ts'
import { type CommandContext, printWarnings, tell } from '../shared/context.ts'
import type { ExitCode } from '../shared/exit-codes.ts'
import { changesSomething, type ResumeFlags, readResumeChanges, refuseLocal } from './read-changes.ts'
import { answerComparison, tellComparison } from './show-comparison.ts'

/** Resumes a run, or its cancellation, and follows it to its end. */
export async function resume(
  context: CommandContext,
  given: string,
  options: ResumeFlags,
  cancel?: ControlRequest,
): Promise<ExitCode> {
  const configuration = await readRunConfiguration(context.io)
  const known = await loadActions(context.io)
  const dataDir = chooseDataDir(options.dataDir, configuration, context.io)
  return withEngine(context, options, async (engine) => {
    if (engine.kind === 'temporal') {
      const { resumeOnTemporal } = await import('./resume-on-temporal.ts')
      refuseLocal(options)
      const { run_id: runId, status } = await findRunState(given, engine)
      refusePaused(runId, status)
      refuseEnded(runId, status)
      if (isPlainPreview(options)) return answerPlain(runId, engine, known, options, context)
      return resumeOnTemporal(context, runId, options, { configuration, dataDir, actions: known }, cancel)
    }
    const record = await findRun(given, engine)
    refusePaused(record.run_id, record.status)
    // Before any output about a resume that cannot happen.
    refuseEnded(record.run_id, record.status)
    if (isPlainPreview(options)) return answerPlain(record.run_id, engine, known, options, context)
    const service = chooseService(record, options)
    const actions = actionsFor(service, known)
    const changes = await readResumeChanges(options, record.plan, actions, context)
    if (changes) {
      const comparison = await engine.compareResume(record.run_id, changes, { actions, checkInputs })
      if (options.dryRun) return answerComparison(comparison, options, context)
      tellComparison(comparison, options, context)
    }
    const plan = changes?.plan ?? record.plan
    // A cancellation only cleans up: one step that leaves the sandbox must not prevent the rest.
    if (!cancel) refuseOutside({ plan, inputs: changes?.inputs ?? record.inputs, actions })
    const isNeeded = needsDefaultConnection(plan, actions)
    const { connection, close } = await resolveRunService(service, isNeeded, configuration, context)
    try {
      printWarnings(connection, context)
      const dependencies = {
        connection,
        configuration,
        service,
        actions,
        plan,
        dataDir,
        hasBegun: cancel ? ('cancelled' as const) : (true as const),
        ...(changes ? {} : { steps: record.steps }),
      }
      return await followInTerminal(context, options, dependencies, async (parts, views, signal) => {
        // After a change the run walks its new plan, and its events are shown again.
        if (!changes) for (const { event } of await engine.readEvents(record.run_id)) views.recall(event)
        // The journal of a killed process can hold answers that its events lack.
        await learnSecrets(record, engine, views.secretMask)
        const replay = skipReplay(parts.onEvent)
        const handle = await resumeRun({
          ...parts,
          signal,
          say: views.follower.say,
          ...(cancel ? { cancel } : {}),
          ...(options.fromCopy ? { fromCopy: true } : {}),
          dataDir,
          runId: record.run_id,
          scope: connectionScopeOf(configuration, connection, context.io),
          onEvent: replay.onEvent,
          ...(changes ? { changes } : {}),
        })
        // Only now: as long as another process executes the run, its sandbox has not ended.
        if (isInNewSandbox(record, options) && !(cancel && !hasCleanUp(plan)))
          warnOfNewSandbox(context, options, views)
        replay.begin((await engine.readRun(record.run_id)) ?? record)
        return handle
      })
    } finally {
      await close()
    }
  })
}

function isPlainPreview(options: ResumeFlags): boolean {
  return options.dryRun === true && !changesSomething(options)
}

/** Shows what a resume without changes would do. */
async function answerPlain(
  runId: string,
  engine: Engine,
  actions: readonly Action[],
  options: ResumeFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const comparison = await engine.compareResume(runId, undefined, { actions, checkInputs })
  return answerComparison(comparison, options, context)
}

/** The service to resume with: from the flags, else the one that the run was started with. */
function chooseService(
  { connection }: RunRecord,
  { connection: flag, sandbox, allowOutside }: ResumeFlags,
): ServiceChoice {
  if (flag !== undefined || (!sandbox && !isSandboxName(connection))) {
    const name = flag ?? connection
    return {
      ...(name === undefined ? {} : { connection: name }),
      ...(sandbox ? { sandbox } : {}),
      ...(allowOutside ? { allowOutside } : {}),
    }
  }
  return { sandbox: true, allowOutside: allowOutside === true || connection === openSandboxName }
}

/** Whether the run continues in another sandbox, since its own ended with its process. */
function isInNewSandbox(
  { connection, status }: RunRecord,
  { connection: flag, sandbox }: ResumeFlags,
): boolean {
  return status !== 'succeeded' && flag === undefined && !sandbox && isSandboxName(connection)
}

function warnOfNewSandbox(context: CommandContext, { quiet }: ResumeFlags, { follower }: RunViews): void {
  const text = 'warning: the sandbox of this run has ended; the new one holds nothing that the run created'
  // Also shown with --quiet: it changes what the run finds.
  if (quiet) tell(context, text)
  else follower.say(text)
}

/** Passes on events, except those that a resumed run only replays. */
export interface ReplayFilter {
  onEvent(event: TimedRunEvent): void
  /** Takes the record of the reopened run, before the first event. */
  begin(run: Pick<RunRecord, 'steps'>): void
}

/** Drops the events of steps that had ended before the resume. */
function skipReplay(onEvent: ((event: TimedRunEvent) => void) | undefined): ReplayFilter {
  let before: ReadonlyMap<string, StepRecord['status']> = new Map()
  const isReplay = (event: TimedRunEvent): boolean => {
    if (!('path' in event)) return false
    const status = enclosingPaths(event.path)
      .map((place) => before.get(place))
      .findLast((known) => known !== undefined)
    if (status === undefined || isUnfinished(status)) return false
    return event.type !== 'step_finished' || event.status === status
  }
  return {
    onEvent(event) {
      if (!isReplay(event)) onEvent?.(event)
    },
    begin({ steps }) {
      before = new Map(steps.map(({ path, status }) => [path, status]))
    },
  }
}
