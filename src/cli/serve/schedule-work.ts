import type { ComposeNotice } from '../../engine/embedded/index.ts'
import { openScheduleStore } from '../../engine/embedded/index.ts'
import { schedulesOf } from '../../triggers/schedules/schedule-entry.ts'
import { createScheduler } from '../../triggers/schedules/scheduler.ts'
import type { BackgroundWork } from '../../triggers/serve/background.ts'
import type { OpenEngineOptions } from './open-embedded.ts'

/** What the schedules of the runbooks are carried out with. */
export interface ScheduleWorkOptions extends Pick<OpenEngineOptions, 'dataDir' | 'runbooks' | 'log'> {
  /** Name of the connection of runs whose steps name none. */
  readonly connection?: string
  /** Told that runs wait to be taken up. */
  readonly onStarted: () => void
  /** Whether a run that was interrupted is gone on with here. */
  readonly continues: (runId: string) => boolean
  /** Whether a queued run belongs elsewhere. */
  readonly leaves: (runId: string) => boolean
  readonly notices?: ComposeNotice
}

/** The schedules of the runbooks, as work that goes on beside the hooks. */
export function openScheduleWork({
  dataDir,
  runbooks,
  log,
  connection,
  onStarted,
  continues,
  leaves,
  notices,
}: ScheduleWorkOptions): BackgroundWork & { close(): void } {
  const store = openScheduleStore({
    dataDir,
    continues,
    leaves,
    ...(notices === undefined ? {} : { notices }),
  })
  const entries = runbooks.flatMap(({ plan }) => schedulesOf(plan))
  const scheduler = createScheduler({
    entries,
    store,
    ...(connection === undefined ? {} : { connection }),
    onStarted(runs, { id }) {
      log.info('schedule', { schedule: id, runs })
      onStarted()
    },
    onMissed(missed, { id }) {
      log.missed(id, missed.length, { last: new Date(missed.at(-1) ?? 0).toISOString() })
    },
    onProblem({ code, message }, { id }) {
      log.warn('schedule not looked after', { schedule: id, code, reason: message })
    },
  })
  return {
    async start() {
      for (const { id, inputs } of entries) {
        if ('problem' in inputs) log.warn('schedule starts nothing', { schedule: id, reason: inputs.problem })
      }
      scheduler.start()
      store.serve(entries.map(({ id }) => id))
    },
    stop: scheduler.stop,
    close: store.close,
  }
}
