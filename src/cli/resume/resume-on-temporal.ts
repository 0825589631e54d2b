import type { Action } from '../../actions/index.ts'
import { advanceText } from '../../acts/index.ts'
import type { Plan } from '../../core/plan/index.ts'
import type { ControlRequest } from '../../core/record/index.ts'
import { systemIdentity } from '../../engine/record/index.ts'
import {
  type ClientPorts,
  followRun,
  openChanges,
  type RunStart,
  readEvents,
  readStart,
  resumeRun,
} from '../../engine/temporal/client/index.ts'
import { checkInputs } from '../../load/index.ts'
import type { Configuration } from '../../project/configuration/index.ts'
import { actionsOfQueue, withTemporalClient } from '../../project/temporal/index.ts'
import { createAsker } from '../run/create-asker.ts'
import { openViews } from '../run/open-views.ts'
import { followOnWorkers } from '../run/until-end.ts'
import type { CommandContext } from '../shared/context.ts'
import type { ExitCode } from '../shared/exit-codes.ts'
import type { FollowFlags } from '../shared/options.ts'
import { type ResumeFlags, readResumeChanges } from './read-changes.ts'
import { answerComparison, tellComparison } from './show-comparison.ts'

/** Resumes a run on its workers. */
export async function resumeOnTemporal(
  context: CommandContext,
  runId: string,
  options: ResumeFlags,
  known: Known,
  cancel?: ControlRequest,
): Promise<ExitCode> {
  const { connection, yes } = options
  return withTemporalClient(context, known.configuration, async (ports) => {
    const { plan } = await readStart(ports.client, runId)
    const actions = await actionsOfQueue(ports.client, ports.taskQueue, known.actions)
    const changes = await readResumeChanges(options, plan, actions, context)
    const resumed = {
      ...ports,
      runId,
      by: cancel?.by ?? systemIdentity(),
      ...(cancel === undefined ? {} : { cancel }),
      ...(connection === undefined ? {} : { connection }),
      ...(yes ? { approve: 'all' as const } : {}),
    }
    if (!changes) {
      const begin = (): ReturnType<typeof resumeRun> => resumeRun(resumed)
      return startAndFollow(
        context,
        ports,
        { runId, plan, begin, isCancelled: cancel !== undefined, ...known },
        options,
      )
    }
    const opened = await openChanges({ ...resumed, changes, actions, checkInputs })
    if (options.dryRun) return answerComparison(opened.comparison, options, context)
    tellComparison(opened.comparison, options, context)
    const changed = { plan: changes.plan ?? plan, isChanged: true as const, begin: opened.begin }
    return startAndFollow(context, ports, { runId, ...known, ...changed }, options)
  })
}

/** What is known before the server is asked. */
interface Known {
  readonly configuration: Configuration
  readonly dataDir: string
  readonly actions: readonly Action[]
}

/** A run to resume. */
interface ResumedRun extends Known {
  readonly runId: string
  /** The plan that it resumes with. */
  readonly plan: Plan
  /** The run walks a new plan, and its events are shown again. */
  readonly isChanged?: true
  /** Only its clean-up runs. */
  readonly isCancelled?: boolean
  /** Starts the resumed run. */
  begin(): Promise<RunStart>
}

/** Starts the resumed run on Temporal, and follows it to its end. */
async function startAndFollow(
  context: CommandContext,
  ports: ClientPorts,
  { runId, plan, dataDir, isChanged, isCancelled, begin }: ResumedRun,
  options: FollowFlags,
): Promise<ExitCode> {
  const views = await openViews(context, options, {
    plan,
    hasBegun: isCancelled ? 'cancelled' : true,
    note: 'Ctrl-C detaches; the run continues',
  })
  if (!isChanged) for (const { event } of await readEvents(ports, runId)) views.recall(event)
  if (options.yes) views.follower.say(advanceText(plan, views.state.steps))
  return views.end(
    await followOnWorkers(context, options, views, async () => {
      const { continued } = await begin()
      return followRun(
        { runId, isJoined: false },
        {
          ...ports,
          dataDir,
          afterSeq: continued?.lastSeq ?? 0,
          onEvent: views.take,
          onQuestion: createAsker(context, options, views),
          say: views.follower.say,
        },
      )
    }),
  )
}
