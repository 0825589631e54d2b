import { identityText } from '../../core/record/identity.ts'
import type { RunSummary } from '../../core/record/run-record.ts'
import { printableLine } from '../terminal/printable.ts'

/** Who or what started a run, such as ` by alex` or ` by the event inc-42 of incidents`. */
export function startedFromText({ started_by, started_from }: RunSummary): string {
  if (started_from?.kind === 'event')
    return printableLine(` by the event ${started_from.event_id} of ${started_from.hook}`)
  if (started_from?.kind === 'schedule') return ` by its schedule, for ${started_from.at}`
  return started_by === undefined ? '' : ` by ${identityText(started_by)}`
}
