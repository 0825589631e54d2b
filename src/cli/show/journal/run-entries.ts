import type { RecordedEvent, RunRecord } from '../../../core/record/run-record.ts'
import { failureText } from '../../run/follow/failure-text.ts'
import type { ItemNames } from '../../run/follow/item-names.ts'
import { verdictSigns } from '../../run/report/verdicts.ts'
import { startedFromText } from '../started-from-text.ts'
import type { JournalEntry } from './entry.ts'

/** When the run as a whole began, went on and ended, each time. */
export function runEntries(
  run: RunRecord,
  events: Iterable<RecordedEvent>,
  items: ItemNames,
): readonly JournalEntry[] {
  const entries: JournalEntry[] = [
    { atMs: Date.parse(run.started_at), words: [`started${startedFromText(run)}`] },
  ]
  let begins = 0
  for (const { event } of events) {
    const atMs = Date.parse(event.at)
    // Who resumed it is recorded apart; runs of older versions have only this.
    if (event.type === 'run_started' && ++begins > 1 && run.resumes.length === 0)
      entries.push({ atMs, words: ['resumed'] })
    if (event.type !== 'run_finished') continue
    const why = event.error === undefined ? '' : `: ${failureText(event.error, '', items)}`
    entries.push({
      atMs,
      sign: verdictSigns[event.status],
      words: [`run ${event.status}${why}`],
      isEnd: true,
    })
  }
  return entries
}
