import type { MissedOrder, MissedTimes } from '../events/messages.ts'
import type { EventLedger } from './event-ledger.ts'
import { handOverNotice } from './hand-over-notice.ts'

/** Tells people of the times of schedules that were missed and that nobody was told of yet, and answers with these. */
export async function tellMissed(
  ledger: EventLedger,
  { schedules, actionQueue }: MissedOrder,
): Promise<readonly MissedTimes[]> {
  const told = ledger.missed ?? {}
  const untold = schedules.flatMap((schedule) => {
    const missed = schedule.missed - (told[schedule.id] ?? 0)
    return missed > 0 ? [{ ...schedule, missed }] : []
  })
  // Whoever has looked a moment earlier than another may be heard later. One that was made anew begins with none.
  const counts = schedules.map(({ id, missed }) => [id, missed && Math.max(missed, told[id] ?? 0)] as const)
  ledger.missed = Object.fromEntries(counts.filter(([, count]) => count > 0))
  const sinceMs = Date.now()
  await Promise.all(
    untold.map(({ id, runbook, missed }) => {
      const message = `the schedule ${id}: ${wordsFor(missed)} could be caught up`
      const notice = { kind: 'schedule_missed', runbook, message, sinceMs } as const
      return handOverNotice(`opsbook-schedule/${id}`, { notice, sensitive: [], actionQueue })
    }),
  )
  return untold
}

function wordsFor(missed: number): string {
  return missed === 1
    ? 'a time was missed; the server did not start it while it'
    : `${missed} times were missed; the server did not start them while they`
}
