import { concurrencyOf } from '../../../core/concurrency-key.ts'
import type { Identity } from '../../../core/record/identity.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { beginStart } from '../client/start-run.ts'
import type { ClientPorts } from '../client/talk-to-run.ts'
import { whyUnreadable } from '../codec/unreadable.ts'
import type { RunStart, ScheduledStart } from '../messages.ts'
import type { ScheduledOrder } from './messages.ts'
import { runIdsByHand } from './schedule-ids.ts'

/**
 * Starts a run of a schedule that a person wants now: past the server, which would not write down who. `order` is what the
 * server starts at its times. Resolves with the id of the run. Rejects with `ConcurrencyConflict` where another run goes on
 * for its concurrency key.
 */
export async function startByHand(
  ports: ClientPorts,
  order: ScheduledStart | ScheduledOrder,
  by: Identity,
): Promise<string> {
  const unreadable = whyUnreadable(order)
  if (unreadable !== undefined) throw new RunbookError('PayloadUnreadable', unreadable, { notSent: true })
  const { scheduled, ...given } = 'scheduled' in order ? order : order.start
  const at = new Date().toISOString()
  const start: RunStart = {
    ...given,
    runId: `${runIdsByHand(ports.taskQueue, scheduled.schedule)}${at}`,
    startedAtMs: Date.parse(at),
    startedBy: by,
    startedFrom: { kind: 'schedule', ...scheduled, at },
  }
  const { plan, inputs, runId } = start
  const concurrency = concurrencyOf(plan, inputs, { id: runId, started_at: at })
  // Nobody follows another run who wants one of the schedule.
  const onConflict = concurrency?.onConflict === 'replace' ? 'replace' : 'reject'
  await beginStart(ports, start, concurrency && { ...concurrency, onConflict })
  return runId
}
