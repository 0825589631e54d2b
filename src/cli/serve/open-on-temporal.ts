import { openChanges, resumeRun, workersMissing } from '../../engine/temporal/client/index.ts'
import { checkInputs } from '../../load/index.ts'
import { readConfiguredCallbackKey } from '../../project/configuration/index.ts'
import { requireSandbox } from '../../project/connections/index.ts'
import { CommandError } from '../../project/index.ts'
import { actionsOfQueue, openTemporalEvents } from '../../project/temporal/index.ts'
import type { BackgroundWork } from '../../triggers/server/index.ts'
import { applyPlans, watchMissed } from '../../triggers/temporal/index.ts'
import type { CommandContext } from '../shared/context.ts'
import type { OpenEngineOptions, ServeEngine } from './serve-engine.ts'

/** Opens the Temporal engine: a workflow records events, and workers execute the runs. */
export async function openOnTemporal(
  context: CommandContext,
  { flags, configuration, log, runbooks, isEveryRunbook, actions }: OpenEngineOptions,
): Promise<ServeEngine> {
  requireSandbox(flags)
  if (flags.sandbox)
    throw new CommandError('usage', '--sandbox is for the embedded engine: the workers cannot see it', {
      hints: ['"opsbook worker --sandbox" starts a worker with its own sandbox'],
    })
  const { events, ports } = await openTemporalEvents(context, configuration, {
    ...(flags.connection === undefined ? {} : { connection: flags.connection }),
    onStartLimit: log.startLimit,
  })
  const { client, taskQueue } = ports
  const callbackKey = await readConfiguredCallbackKey(configuration, context.io)
  if (callbackKey !== undefined) log.hide(callbackKey)
  const missing = await workersMissing(client, taskQueue).catch(() => undefined)
  if (missing !== undefined) log.warn(`${missing}; until then every event is answered with 503`)
  const schedules: BackgroundWork = {
    async start() {
      const changes = await applyPlans({
        ports,
        plans: runbooks.map(({ plan }) => plan),
        isEveryRunbook,
        ...(flags.connection === undefined ? {} : { connection: flags.connection }),
      })
      for (const { id, change, error } of changes) {
        if (error) log.warn('schedule not applied', { schedule: id, code: error.code, reason: error.message })
        else if (change !== 'keep') log.info('schedule applied', { schedule: id, change })
      }
    },
    // The server keeps executing them.
    stop: async () => {},
  }
  const missed = watchMissed({
    ports,
    eventStore: events,
    onMissed: ({ id, missed }) => log.missed(id, missed),
    onProblem: ({ code, message }) => log.warn('missed times not evaluated', { code, reason: message }),
  })
  return {
    events,
    async resume(runId, { by, changes }) {
      const resumed = { ...ports, runId, by }
      if (!changes) await resumeRun(resumed)
      else {
        const known = await actionsOfQueue(client, taskQueue, actions)
        await (await openChanges({ ...resumed, changes, actions: known, checkInputs })).begin()
      }
    },
    callbackKey: () => callbackKey,
    background: [schedules, missed],
    // Without an answer of the server, no event can be accepted.
    whyNotReady: () => workersMissing(client, taskQueue).catch(() => 'the Temporal server does not answer'),
    close: () => events.close(),
  }
}
