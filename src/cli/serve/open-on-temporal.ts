import { workersMissing } from '../../engine/temporal/client/look-for-workers.ts'
import { applyPlans } from '../../triggers/schedules/apply-plans.ts'
import { watchMissed } from '../../triggers/schedules/watch-missed.ts'
import type { BackgroundWork } from '../../triggers/serve/background.ts'
import { CommandError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { openTemporalEvents } from '../engine/open-temporal-events.ts'
import { exitCodes } from '../exit-codes.ts'
import { requireSandbox } from '../stays-inside.ts'
import type { OpenEngineOptions } from './open-embedded.ts'
import type { ServeEngine } from './serve-engine.ts'

/** The engine on a Temporal server: a workflow records what comes in, and workers carry it out. */
export async function openOnTemporal(
  context: CommandContext,
  { flags, configuration, log, runbooks, isEveryRunbook }: OpenEngineOptions,
): Promise<ServeEngine> {
  requireSandbox(flags)
  if (flags.sandbox)
    throw new CommandError(
      exitCodes.usage,
      '--sandbox is for the embedded engine: the workers cannot see it',
      {
        hints: ['"opsbook worker --sandbox" has a sandbox of its own'],
      },
    )
  const { book, ports } = await openTemporalEvents(context, configuration, {
    ...(flags.connection === undefined ? {} : { connection: flags.connection }),
    onStartLimit: log.startLimit,
  })
  const { client, taskQueue } = ports
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
    // The server goes on with them.
    stop: async () => {},
  }
  const missed = watchMissed({
    ports,
    book,
    onMissed: ({ id, missed }) => log.missed(id, missed),
    onProblem: ({ code, message }) => log.warn('missed times not looked after', { code, reason: message }),
  })
  return {
    book,
    background: [schedules, missed],
    // Unanswered, there is nobody who would take an event.
    whyNotReady: () => workersMissing(client, taskQueue).catch(() => 'the Temporal server does not answer'),
    close: () => book.close(),
  }
}
