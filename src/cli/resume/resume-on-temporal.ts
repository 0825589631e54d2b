import type { Action } from '../../actions/index.ts'
import { systemIdentity } from '../../engine/record/system-user.ts'
import { openAmendment } from '../../engine/temporal/client/amend-run.ts'
import { readStart } from '../../engine/temporal/client/read-history.ts'
import { resumeRun } from '../../engine/temporal/client/resume-run.ts'
import { checkInputs } from '../../load/index.ts'
import type { ResumeFlags } from '../commands/resume.ts'
import type { CommandContext } from '../context.ts'
import { actionsOfQueue } from '../engine/actions-of-queue.ts'
import { withTemporalClient } from '../engine/with-temporal-client.ts'
import type { ExitCode } from '../exit-codes.ts'
import { goOnTemporal } from './go-on-temporal.ts'
import { readAmendment } from './read-amendment.ts'
import { refuseLocal } from './refuse-local.ts'
import { answerComparison, tellComparison } from './show-comparison.ts'

/** Goes on with a run on its workers. */
export async function resumeOnTemporal(
  context: CommandContext,
  runId: string,
  options: ResumeFlags,
  known: readonly Action[],
): Promise<ExitCode> {
  refuseLocal(options)
  const { connection, yes } = options
  return withTemporalClient(context, async (ports) => {
    const { plan } = await readStart(ports.client, runId)
    const actions = await actionsOfQueue(ports.client, ports.taskQueue, known)
    const amendment = await readAmendment(options, plan, actions, context)
    const resumed = {
      ...ports,
      runId,
      by: systemIdentity(),
      ...(connection === undefined ? {} : { connection }),
      ...(yes ? { approve: 'all' as const } : {}),
    }
    if (!amendment) {
      const begin = (): ReturnType<typeof resumeRun> => resumeRun(resumed)
      return goOnTemporal(context, ports, { runId, plan, begin }, options)
    }
    const opened = await openAmendment({ ...resumed, amendment, actions, checkInputs })
    if (options.dryRun) return answerComparison(opened.comparison, options, context)
    tellComparison(opened.comparison, options, context)
    const going = { runId, plan: amendment.plan ?? plan, isAmended: true as const, begin: opened.begin }
    return goOnTemporal(context, ports, going, options)
  })
}
